/** The parts in use of two packages that bring no types of their own; what they return is checked by device.ts. */
declare module 'uap-ref-impl' {
  interface Parser {
    parse(userAgent: string): unknown
  }
  // biome-ignore lint/style/noDefaultExport: the package is CommonJS and exports a function
  export default function makeParser(regexes: object): Parser
}

declare module 'js-yaml' {
  export function load(text: string): unknown
}
