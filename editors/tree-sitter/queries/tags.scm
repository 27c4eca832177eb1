(function name: (symbol) @name) @definition.function
(data name: (symbol) @name) @definition.constant
