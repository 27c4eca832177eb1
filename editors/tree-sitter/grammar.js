// The grammar of .tfir for tree-sitter. It reads every program that `tfc` reads; what a word means is not its business.
//
// `cargo test --features generate` in this folder generates src/parser.c again and compares; with TFC_ACCEPT=1 it writes it.

/** One or more, with commas between them; a comma may follow the last. */
const some = (rule) => seq(rule, repeat(seq(',', rule)), optional(','));
/** Any number of them. */
const list = (rule) => optional(some(rule));

module.exports = grammar({
  name: 'tfir',

  extras: ($) => [/[ \t\r\n]/, $.comment],
  word: ($) => $.word,

  // What begins with a name in an argument may be a case, a call, or a key; `[` may begin a list or what is picked.
  conflicts: ($) => [
    [$.case, $.call],
    [$._name, $.case],
    [$._name, $.case, $.call],
    [$.result, $._operand],
  ],

  rules: {
    source_file: ($) => seq(optional($.version), repeat($._item)),
    version: ($) => seq('tfir', $.number),

    _item: ($) => choice($.module, $.data, $.location, $.mesh, $.import, $.function),
    module: ($) => seq('module', field('name', $.symbol), optional($.arguments)),
    data: ($) =>
      seq('data', field('name', $.symbol), ':', field('type', $.type), '=', field('format', $.word), $.arguments),
    location: ($) => seq('loc', $.location_name, '=', field('kind', $.word), $.arguments),
    mesh: ($) => seq('mesh', field('name', $.symbol), $.arguments),
    import: ($) => seq('import', field('path', $.string), 'as', field('name', $.word), optional($.with)),

    function: ($) =>
      seq(
        optional('export'),
        'func',
        field('name', $.symbol),
        optional($.extents),
        $.parameters,
        '->',
        field('results', $.results),
        optional($.where),
        optional($.with),
        field('body', $.block),
      ),
    extents: ($) => seq('<', some(alias($.word, $.extent)), '>'),
    parameters: ($) => seq('(', list($.parameter), ')'),
    parameter: ($) =>
      seq(field('name', $.value), ':', field('type', $.type), optional($.sharding), optional(seq('=', field('default', $._literal)))),
    results: ($) => choice($.type, seq('(', list(choice($.type, seq(field('name', $._name), ':', $.type))), ')')),
    where: ($) => prec.right(seq('where', some($.condition))),
    condition: ($) => seq($._signed, choice('<=', '>=', '=='), $._signed),
    with: ($) => seq('with', $.arguments),
    sharding: ($) => seq('@', '[', list(seq($._name, repeat(seq('+', $._name)))), ']'),

    block: ($) => seq('{', repeat($._line), optional($.terminator), '}'),
    _line: ($) => choice($.statement, $.definition),
    terminator: ($) => seq(choice('return', 'yield'), list(choice($._operand, $._literal))),
    // `%y, %i = sort(…) { … }`
    statement: ($) =>
      prec.right(
        seq(
          optional(seq(some($.result), '=')),
          field('op', choice($.word, $.string)),
          $.arguments,
          repeat($.picks),
          optional($.regions),
          optional($.where),
          optional($.location_name),
        ),
      ),
    // `%y = 3.0`, `%y = %x[0]`
    definition: ($) =>
      prec.right(seq(some($.result), '=', choice($._plain, $._literal), optional($.location_name))),
    result: ($) => prec.right(seq(field('name', $.value), optional(seq(':', field('type', $.type))), optional($.sharding))),
    regions: ($) => seq('{', repeat1($.region), '}'),
    region: ($) => seq(field('label', $.word), $.parameters, optional($.where), field('body', $.block)),

    arguments: ($) => seq('(', list($._argument), ')'),
    _argument: ($) => choice($._operand, $._attribute, $.keyed),
    keyed: ($) => seq(field('key', $._name), '=', field('value', $._attribute)),
    _attribute: ($) =>
      choice($._literal, $.string, $.case, seq($.symbol, optional($.extent_arguments)), $.location_name, $.shape, $.type),
    case: ($) => $.word,
    shape: ($) => seq('shape', '[', list($._signed), ']'),
    extent_arguments: ($) => seq('<', some($._signed), '>'),

    _operand: ($) => choice($._plain, $.call),
    _plain: ($) => prec.right(seq(choice($.value, $.conversion), repeat($.picks))),
    conversion: ($) => seq(field('to', $.dtype), '(', choice($._operand, $._literal), ')'),
    call: ($) => prec.right(seq(field('op', $.word), $.arguments, repeat($.picks))),
    picks: ($) => seq('[', list($._pick), ']'),
    _pick: ($) => choice($._signed, $.value, $.range),
    range: ($) => seq(optional($._signed), ':', optional($._signed), optional(seq(':', optional($._signed)))),

    type: ($) => seq(field('dtype', $.dtype), '[', list($._signed), ']'),
    dtype: (_) =>
      choice(
        'bool', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'bf16', 'f16', 'f32', 'f64', 'c32', 'c64',
        'i2', 'i4', 'u2', 'u4', 'f4e2m1fn', 'f6e2m3fn', 'f6e3m2fn', 'f8e3m4', 'f8e4m3', 'f8e4m3b11fnuz', 'f8e4m3fn', 'f8e4m3fnuz',
        'f8e5m2', 'f8e5m2fnuz',
      ),
    _signed: ($) => choice($._dim, alias($.negative, $.difference)),
    negative: ($) => prec.left(1, seq('-', $._term, repeat(seq(choice('+', '-'), $._term)))),
    _dim: ($) => choice($._term, alias($.sum, $.difference)),
    sum: ($) => prec.left(1, seq($._term, repeat1(seq(choice('+', '-'), $._term)))),
    _term: ($) => choice($._factor, $.product),
    product: ($) => prec.left(2, seq($._factor, repeat1(seq('*', $._factor)))),
    _factor: ($) =>
      choice(
        $.number,
        alias($.word, $.extent),
        $.existential,
        seq('(', $._signed, ')'),
        seq(field('function', $.word), '(', some($._signed), ')'),
      ),

    _literal: ($) => choice($.signed_number, $.boolean, $.list, $.complex),
    signed_number: ($) => seq(optional('-'), choice($.number, 'inf', 'nan')),
    boolean: (_) => choice('true', 'false'),
    list: ($) => seq('[', list($._attribute), ']'),
    complex: ($) => seq('(', $.signed_number, ',', $.signed_number, ')'),

    // A keyword where a name is meant.
    _name: ($) =>
      choice($.word, ...['tfir', 'module', 'data', 'loc', 'func', 'export', 'import', 'where', 'with', 'return', 'yield', 'shape', 'mesh', 'as'].map((w) => alias(w, $.word))),
    word: (_) => /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*/,
    value: (_) => /%[A-Za-z0-9_][A-Za-z0-9_.]*/,
    symbol: (_) => /@[A-Za-z_][A-Za-z0-9_.]*/,
    existential: (_) => /\?[A-Za-z0-9_]+/,
    location_name: (_) => /#[0-9]+/,
    number: (_) => /[0-9]([A-Za-z0-9_.]|[eE][+-])*/,
    string: (_) => /"([^"\\\n]|\\[^\n])*"/,
    comment: (_) => /\/\/[^\n]*/,
  },
});
