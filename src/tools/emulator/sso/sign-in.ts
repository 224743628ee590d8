import { type RequestHandler, type Response, Router } from 'express'
import type { Provider } from 'oidc-provider'
import { formBody, formText, readParameters } from '../http/form.ts'
import { routesOf } from '../http/methods.ts'
import type { ProviderDeps } from './open-provider.ts'
import { subjectOf } from './people.ts'

/**
 * The page on which a person signs in, and "Cancel". The provider knows the request by a cookie, so the forms of other
 * sites cannot answer it.
 */
export function signInRoutes({ clients, people, renderPage }: ProviderDeps, opened: () => Promise<Provider>): Router {
  // Browsers apply form-action to the redirects that follow the form: they lead to the client.
  const origins = clients.flatMap(({ redirectUris }) => redirectUris.map((uri) => new URL(uri).origin))
  const policy = `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${[...new Set(origins)].join(' ')}; frame-ancestors 'none'; base-uri 'none'`

  async function show(res: Response, status: number, name: 'sign-in' | 'message', locals: object): Promise<void> {
    const page = await renderPage(name, { ...locals })
    res.status(status).set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' }).type('html').send(page)
  }

  const showPeople: RequestHandler = async (req, res) => {
    const { params } = await (await opened()).interactionDetails(req, res)
    await show(res, 200, 'sign-in', { people, clientId: params.client_id })
  }

  const signIn: RequestHandler = async (req, res) => {
    const form = readParameters(formText(req) ?? '')
    const chosen = form.ok ? form.fields.person : undefined
    const person = people.find(({ username }) => username === chosen)
    if (person === undefined && chosen !== undefined) {
      return show(res, 400, 'message', { title: 'Unknown person', text: `The provider has no person ${chosen}.` })
    }
    const result =
      person === undefined
        ? { error: 'access_denied', error_description: 'The person canceled the sign-in' }
        : { login: { accountId: subjectOf(person.username) }, select_account: {} }
    await (await opened()).interactionFinished(req, res, result)
  }

  const router = Router()
  routesOf(router)('/interaction/:uid', { get: showPeople, post: [formBody, signIn] })
  return router
}
