/** The package has no types. These cover what the test uses. */
declare module 'simple-oauth2' {
  interface Options {
    readonly client: { readonly id: string; readonly secret: string }
    readonly auth: { readonly tokenHost: string; readonly tokenPath: string; readonly authorizePath?: string }
    readonly options?: { readonly authorizationMethod: 'header' | 'body' }
  }
  interface AccessToken {
    readonly token: Readonly<Record<string, unknown>>
    expired(windowSeconds?: number): boolean
    refresh(): Promise<AccessToken>
  }
  type Parameters = Readonly<Record<string, string>>

  export class AuthorizationCode {
    constructor(options: Options)
    authorizeURL(parameters: Parameters): string
    getToken(parameters: Parameters): Promise<AccessToken>
  }
  export class ClientCredentials {
    constructor(options: Options)
    getToken(parameters: Parameters): Promise<AccessToken>
  }
  export class ResourceOwnerPassword {
    constructor(options: Options)
    getToken(parameters: Parameters): Promise<AccessToken>
  }
}
