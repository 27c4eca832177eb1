[(block) (regions) (list)] @fold
