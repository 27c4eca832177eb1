(comment) @comment
(string) @string
[(number) "inf" "nan"] @number
(boolean) @boolean
(dtype) @type.builtin
(extent) @variable.parameter
(existential) @variable.parameter
(value) @variable
(parameter name: (value) @variable.parameter)
(symbol) @function
(function name: (symbol) @function)
(location_name) @attribute
(case) @constant
(keyed key: (_) @property)
(statement op: (_) @function.builtin)
(call op: (_) @function.builtin)
(region label: (_) @label)
["tfir" "module" "data" "loc" "mesh" "import" "as" "export" "func" "where" "with" "return" "yield" "shape"] @keyword
["=" "->" "==" "<=" ">=" "+" "-" "*"] @operator
["," ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}" "<" ">"] @punctuation.bracket
