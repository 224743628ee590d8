/** Whether it is the certificate of the other side that Node's TLS refuses, by the code of its error. */
export function isCertificateFault(code: unknown): boolean {
  return typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
}
