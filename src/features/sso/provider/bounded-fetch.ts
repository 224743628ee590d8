import { UpstreamError } from '../../../errors.ts'

const LONGEST_ANSWER_BYTES = 1_048_576

/**
 * Fetches for openid-client and jose, which set no limit to an answer. Fifty answers at a time must fit into memory.
 * @throws UpstreamError while the body is read, if it is longer than 1 MiB.
 */
export async function boundedFetch(url: string, options: object): Promise<Response> {
  const answer = await fetch(url, options)
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= LONGEST_ANSWER_BYTES) controller.enqueue(chunk)
      else controller.error(new UpstreamError('sso-provider', 'The answer of the identity provider is too long'))
    },
  })
  return new Response(answer.body?.pipeThrough(limit) ?? null, answer)
}
