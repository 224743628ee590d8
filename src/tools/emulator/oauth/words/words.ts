import type { PasswordFault } from '../own-accounts/password.ts'

/** All texts of the pages, in one language. */
export interface Words {
  /** A BCP 47 tag. */
  readonly language: string
  readonly service: string
  readonly username: string
  readonly password: string
  readonly newPassword: string
  readonly passwordHint: string
  readonly signIn: string
  readonly signInHeading: string
  readonly goOnTo: (client: string) => string
  readonly signOut: string
  readonly signedInAs: (username: string) => string
  readonly otherAccount: string
  readonly wrongCredentials: string
  readonly tooManyFailures: (seconds: number) => string
  readonly noCookie: string
  readonly noAccount: string
  readonly signUp: string
  readonly signUpHeading: string
  readonly haveAccount: string
  readonly usernameHint: string
  readonly usernameFault: string
  readonly usernameTaken: string
  readonly passwordFaults: Readonly<Record<PasswordFault, string>>
  readonly forgotten: string
  readonly resetHeading: string
  readonly resetIntroduction: string
  readonly sendLink: string
  readonly linkSentHeading: string
  readonly linkSent: string
  readonly openOutbox: string
  readonly choosePassword: string
  readonly savePassword: string
  readonly passwordSavedHeading: string
  readonly passwordSaved: string
  readonly linkDeadHeading: string
  readonly linkDead: string
  readonly resetMailSubject: string
  readonly resetMail: (username: string, link: string) => string
  readonly outboxHeading: string
  readonly outboxIntroduction: string
  readonly outboxEmpty: string
  readonly mailTo: string
  readonly consentHeading: (client: string) => string
  readonly consentIntroduction: string
  readonly onDevice: (device: string) => string
  readonly mayManage: string
  readonly mayBroadcast: string
  readonly leadsTo: (host: string) => string
  readonly lastsOneDay: string
  readonly allow: string
  readonly deny: string
  readonly clientsHeading: string
  readonly clientsIntroduction: string
  readonly noClients: string
  readonly ownServer: string
  readonly granted: string
  readonly expires: string
  readonly revoke: string
  readonly revoked: string
  readonly refusedHeading: string
  readonly unknownClient: string
  readonly foreignAddress: string
  readonly requestTooLong: string
  readonly unreadable: string
  readonly notFromOurPage: string
  readonly outOfDateHeading: string
  readonly outOfDate: string
  readonly showAgain: string
  readonly brokenHeading: string
  readonly broken: string
}
