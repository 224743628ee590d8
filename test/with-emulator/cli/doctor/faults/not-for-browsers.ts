const SERVICE = 'the fault keeps the doctor from the API of the service, and viewers do not use it'
const DISCOVERY = 'only the discovery document of the provider says so'
const NOT_READY = 'a balancer sends no viewer to an app that is not ready, and this installation has none'
const OTHER_CONTENT = 'the page shows another channel than --channel'

/** Why this browser gets through although the doctor is right, by the name of the fault. */
export const NOT_FOR_BROWSERS: Readonly<Record<string, string>> = {
  'one of two copies of the app has the old secret': 'the player asks again, and the next copy is right',
  'the app does not know a consumer': 'the page has no chat',
  'a proxy removes the policy': 'strangers may frame the screen',
  'a proxy adds X-Frame-Options': 'only old browsers and apps look at it',
  'a proxy lets caches keep the screens': 'a second viewer would see the screen of the first',
  'a proxy changes the header Origin': 'browsers without Sec-Fetch-Site are refused',
  'a proxy removes the query': 'the page has no chat',
  'there is no such channel': OTHER_CONTENT,
  'the channel belongs to another user': OTHER_CONTENT,
  'the lock has the secret of another entry point': OTHER_CONTENT,
  'the client secret is wrong': SERVICE,
  'a setting of the service is missing': SERVICE,
  'the service answers 503': SERVICE,
  'nothing listens at the address of the service': SERVICE,
  'the session store is broken': NOT_READY,
  'the app is stopping': NOT_READY,
  'the clock of the provider is an hour behind': 'only the Date of the provider differs',
  'the provider answers only with a form': DISCOVERY,
  'the provider offers only plain PKCE': DISCOVERY,
  'the provider does not accept the algorithm of the key': DISCOVERY,
  'the app runs without single sign-on': 'viewers have passwords too',
  'the app runs with tokens, and without single sign-on': 'viewers have passwords too',
  'only the app cannot reach the provider': 'the app reaches it again',
}

/** What the doctor cannot see, by the name of the fault. Its README says so. */
export const BLIND_SPOTS: Readonly<Record<string, string>> = {
  'the service refuses to validate responses': 'only the player asks the service',
}
