/**
 * Returns the sources that a directive of the Content-Security-Policy does not allow. Browsers apply every policy that
 * has the directive. Without such a policy, no source counts as allowed, because the app always sends the directive.
 */
export function notAllowed(headers: Headers, directive: string, sources: readonly string[]): string[] {
  const policies = (headers.get('content-security-policy') ?? '').split(',').map(directivesOf)
  const lists = policies.map((policy) => policy.get(directive)).filter((list) => list !== undefined)
  return sources.filter((source) => lists.length === 0 || !lists.every((list) => list.includes(source)))
}

/** Returns the sources of each directive. If a directive is repeated, the first one counts. */
function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/))
  return new Map(directives.map(([name = '', ...sources]) => [name.toLowerCase(), sources] as const).reverse())
}
