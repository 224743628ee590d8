/** True if the code of an error says that Node refused the certificate of a server. */
export function isCertificateFault(code: unknown): boolean {
  return typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
}
