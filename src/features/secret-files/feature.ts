import { isHashEntryPoint } from '../../entry-points/entry-point.ts'
import { createHashAnswer } from '../../login/answer/hash-answer.ts'
import { defineFeature } from '../../login/feature.ts'

/** Reads the files of the hash secrets again when they change, so that a new secret needs no restart. */
export const secretFiles = defineFeature({
  name: 'secret-files',
  async open({ nowSeconds, log, served }, all) {
    const hasFiles = all.some(({ entryPoint }) => isHashEntryPoint(entryPoint) && entryPoint.secretFiles !== null)
    if (!hasFiles) return null
    const { watchHashSecrets } = await import('./watch-secrets.ts')
    const { secretsOf, keepOnly, stop } = watchHashSecrets({
      onChange: (entryPoint) => log.info({ event: 'hash-secret', entryPoint }, 'The secrets have changed'),
      onFault: (entryPoint, fault) =>
        log.warn({ event: 'hash-secret', entryPoint }, `The app keeps the secrets that it has: ${fault}`),
    })
    served.onServe((now) => keepOnly(now.map(({ name }) => name)))
    return {
      at: (entryPoint) =>
        isHashEntryPoint(entryPoint) ? { answer: createHashAnswer(entryPoint, nowSeconds, secretsOf(entryPoint)) } : {},
      close: stop,
    }
  },
})
