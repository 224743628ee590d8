/** Types of a package without types, for the parts in use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** The context of a request. The provider puts a plain Node response into it. */
  export interface Context {
    readonly res: ServerResponse & { readonly locals?: Record<string, unknown> }
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId?: string }
      readonly result?: { readonly login?: { readonly accountId: string } }
      readonly params: { readonly scope?: string }
    }
    body: unknown
    type: string
  }
  interface Interaction {
    readonly params: Readonly<Record<string, unknown>>
  }
  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
  interface Policy {
    add(prompt: object, index: number): void
    remove(name: string): void
  }
  export const interactionPolicy: {
    base(): Policy
    readonly Prompt: new (options: { name: string; requestable: boolean }) => object
  }
  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (owner: {
      clientId: string
      accountId: string
    }) => Grant
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>
    on(event: 'authorization.success', listener: (ctx: Context, answer: Record<string, unknown>) => void): this
    on(event: 'grant.success', listener: (ctx: Context) => void): this
    on(event: 'server_error' | 'backchannel.error', listener: (ctx: Context, error: Error) => void): this
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** Returns a factory of stores that share their memory. */
  export function createMemoryAdapter(): (model: string) => object
}
