import type { ResponseParameters } from '../../src/hash-lock/authentication-response.ts'

/** The secret of the vectors, and of the other responses in these tests. */
export const SECRET = '3f9a1c7be2d84560af13c9d27e6b8045'
const E_ACUTE_127 = 'é'.repeat(127)

export interface Vector {
  readonly parameters: ResponseParameters
  readonly expiry: number | null
  readonly secret?: string
  /** From `json_encode` with `JSON_UNESCAPED_` `SLASHES`, `UNICODE` and `LINE_TERMINATORS`. */
  readonly plain: string
  /** From `json_encode` without flags, which escapes "/" and non-ASCII characters. Absent if the same as `plain`. */
  readonly escaped?: string
}

/**
 * Responses made with PHP 8.2.35. The hash is `md5(implode('|', $values))` of the values, the expiry if there is one,
 * and the secret. The text is `json_encode` of an array of arrays with one key each.
 */
export const PHP_VECTORS: Readonly<Record<string, Vector>> = {
  'one parameter': {
    parameters: [['user', 'ada@example.com']],
    expiry: null,
    plain: '[{"user":"ada@example.com"},{"hash":"72b48bad6f81e979358418c277c92f40"}]',
  },
  'one parameter and an expiry': {
    parameters: [['user', 'ada@example.com']],
    expiry: 1_900_000_000,
    plain: '[{"user":"ada@example.com"},{"hashExpire":1900000000},{"hash":"a661c8e980acbadce90eb1d7e8a4b3f6"}]',
  },
  'three parameters, a slash': {
    parameters: [
      ['user', 'ada'],
      ['group', 'staff'],
      ['seat', '12/B'],
    ],
    expiry: null,
    plain: '[{"user":"ada"},{"group":"staff"},{"seat":"12/B"},{"hash":"176f648b291f089b064e07e5e6dd41c0"}]',
    escaped: '[{"user":"ada"},{"group":"staff"},{"seat":"12\\/B"},{"hash":"176f648b291f089b064e07e5e6dd41c0"}]',
  },
  'three parameters and an expiry beyond 32 bits': {
    parameters: [
      ['user', 'ada'],
      ['group', 'staff'],
      ['seat', '12/B'],
    ],
    expiry: 2_147_483_648,
    plain:
      '[{"user":"ada"},{"group":"staff"},{"seat":"12/B"},{"hashExpire":2147483648},{"hash":"cfbafc4b3ac9e62f370a7c76332748c9"}]',
    escaped:
      '[{"user":"ada"},{"group":"staff"},{"seat":"12\\/B"},{"hashExpire":2147483648},{"hash":"cfbafc4b3ac9e62f370a7c76332748c9"}]',
  },
  'the same three in another order': {
    parameters: [
      ['group', 'staff'],
      ['user', 'ada'],
      ['seat', '12/B'],
    ],
    expiry: 2_147_483_648,
    plain:
      '[{"group":"staff"},{"user":"ada"},{"seat":"12/B"},{"hashExpire":2147483648},{"hash":"0cff9579c732ba7ff2672456f66fb9c5"}]',
    escaped:
      '[{"group":"staff"},{"user":"ada"},{"seat":"12\\/B"},{"hashExpire":2147483648},{"hash":"0cff9579c732ba7ff2672456f66fb9c5"}]',
  },
  'umlauts, kana, an emoji of several code points, a name beyond ASCII': {
    parameters: [
      ['user', 'Jürgen Größe'],
      ['Straße', '渋谷 ストリート'],
      ['mood', '\u{1f469}\u200d\u{1f4bb}'],
    ],
    expiry: 1_900_000_000,
    plain:
      '[{"user":"Jürgen Größe"},{"Straße":"渋谷 ストリート"},{"mood":"\u{1f469}\u200d\u{1f4bb}"},{"hashExpire":1900000000},{"hash":"7ea81b2add6e271cf7664d63fba681b1"}]',
    escaped:
      '[{"user":"J\\u00fcrgen Gr\\u00f6\\u00dfe"},{"Stra\\u00dfe":"\\u6e0b\\u8c37 \\u30b9\\u30c8\\u30ea\\u30fc\\u30c8"},{"mood":"\\ud83d\\udc69\\u200d\\ud83d\\udcbb"},{"hashExpire":1900000000},{"hash":"7ea81b2add6e271cf7664d63fba681b1"}]',
  },
  'what JSON and HTML escape': {
    parameters: [['user', `O'Neil "Ada" <a&b> \\ c:\\new`]],
    expiry: 1_900_000_000,
    plain:
      '[{"user":"O\'Neil \\"Ada\\" <a&b> \\\\ c:\\\\new"},{"hashExpire":1900000000},{"hash":"9fdfca84b89752d0caa0b6a3dcf77865"}]',
  },
  'values that look like numbers, and the smallest expiry': {
    parameters: [
      ['user', '007'],
      ['n', '1e3'],
    ],
    expiry: 1,
    plain: '[{"user":"007"},{"n":"1e3"},{"hashExpire":1},{"hash":"15923bcf759f8028034e424a83d99de1"}]',
  },
  'a letter in one code point': {
    parameters: [['user', 'Jos\u00e9']],
    expiry: null,
    plain: '[{"user":"Jos\u00e9"},{"hash":"be8a350b5f258a9604efdbd2cce849d7"}]',
    escaped: '[{"user":"Jos\\u00e9"},{"hash":"be8a350b5f258a9604efdbd2cce849d7"}]',
  },
  'the same letter in two code points': {
    parameters: [['user', 'Jose\u0301']],
    expiry: null,
    plain: '[{"user":"Jose\u0301"},{"hash":"d122c00d081eab293f1b04e5ba8911b4"}]',
    escaped: '[{"user":"Jose\\u0301"},{"hash":"d122c00d081eab293f1b04e5ba8911b4"}]',
  },
  'line separators': {
    parameters: [['user', 'a\u2028b\u2029c']],
    expiry: null,
    plain: '[{"user":"a\u2028b\u2029c"},{"hash":"bd9a001c22b5034136c409691dd3d457"}]',
    escaped: '[{"user":"a\\u2028b\\u2029c"},{"hash":"bd9a001c22b5034136c409691dd3d457"}]',
  },
  'a secret beyond ASCII, with a bar': {
    parameters: [['user', 'ada']],
    expiry: 1_900_000_000,
    secret: 'schlüssel|mit strich und 渋谷',
    plain: '[{"user":"ada"},{"hashExpire":1900000000},{"hash":"5e8c7f855819329bf937e8029b8afc7a"}]',
  },
  'the longest value and the latest expiry': {
    parameters: [['user', `${E_ACUTE_127}e`]],
    expiry: 9_007_199_254_740_991,
    plain: `[{"user":"${E_ACUTE_127}e"},{"hashExpire":9007199254740991},{"hash":"98dc41c1ef5fc3caf9229baeaa8cd30d"}]`,
    escaped: `[{"user":"${'\\u00e9'.repeat(127)}e"},{"hashExpire":9007199254740991},{"hash":"98dc41c1ef5fc3caf9229baeaa8cd30d"}]`,
  },
}
