import { z } from 'zod'
import { fail, isLoopbackHost, required } from './fields.ts'

const MISSING = 'is required: the address of this app as browsers see it, such as https://login.example.com'

/** An origin of this app, as browsers see it. */
export const Origin = z.string().transform((text, context): URL => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(url.hostname)) {
    return fail(context, 'must be an https address, such as https://login.example.com')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return fail(context, 'must be an origin only, such as https://login.example.com: no path, query or user name')
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return fail(context, 'must be https: plain http is accepted only on localhost, 127.0.0.1 and [::1]')
  }
  return url
})

/** The origin of this app. Must be https except on loopback: browsers drop Secure cookies over plain http elsewhere. */
export const PublicUrl = required(Origin, MISSING)
