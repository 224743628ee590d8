/** True for the code of an error if Node refused the certificate of a server. */
export function isCertificateFault(code: unknown): boolean {
  return typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
}
