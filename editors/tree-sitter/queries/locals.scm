[(function) (region)] @local.scope
(parameter name: (value) @local.definition)
(result name: (value) @local.definition)
(value) @local.reference
