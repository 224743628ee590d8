import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { LockTarget } from '../../video-service/locks.ts'
import type { Service } from '../service/service.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { Finding, Report } from './finding.ts'
import type { FramedDocument } from './page/framed-document.ts'

/** A player that sends its own frame to an entry point. */
export interface SeenPlayer {
  readonly entryPoint: EntryPoint
  /** The fields that it adds to the address of the entry point. */
  readonly fields: Readonly<Record<string, string>>
  /** Its address without the query, which belongs to the customer. */
  readonly shown: string
}

/** The way of viewers from a channel or video to the login app. */
export interface ContentLock {
  /** The name of the entry point, if the settings have it. */
  readonly entryPoint?: string
  /** Its player, if the player was seen to ask. */
  readonly player?: SeenPlayer
  /** Reported unless a page shows the lock. */
  readonly unseen?: Finding
}

/** The checks of a feature with an answer in place of the hash. */
export interface AnswerCheck {
  /** Returns the checks of an entry point. Null if it has another answer. */
  at(entryPoint: EntryPoint): AnswerAt | null
  /** The codes of findings that follow from others, each with the codes of its causes. */
  readonly consequences: Readonly<Record<string, readonly string[]>>
  /** Checks the lock of a channel or video, also a hash lock. Without a target, checks the locks of all channels. */
  checkContent(
    service: Service,
    io: CommandIo,
    config: Config,
    target: LockTarget | null,
    report: Report,
  ): Promise<ContentLock>
  /**
   * Checks a page whose player sends its own frame to the login app.
   * @param isChoice true if the page may have a player with a hash instead. Without a player that asks, there is then
   *   no finding.
   * @returns the players that ask, each with the documents from the page to the sign-in screen.
   */
  checkPage(
    config: Config,
    address: URL,
    isChoice: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<Finding, readonly { readonly player: SeenPlayer; readonly path: readonly FramedDocument[] }[]>
}

/** The checks of such an answer at an entry point. */
export interface AnswerAt {
  /** The word for the answer in texts. */
  readonly name: string
  /** The setting with the attributes that it sends. */
  readonly setting: string
  /** Returns why the answer cannot carry the value of an attribute; null if it can. */
  faultIn(value: string): string | null
  /** The origin to which the sign-in screen redirects. */
  readonly playerOrigin: string
  /** The fields without which the entry point shows no screen. Null takes them from the settings. */
  fields(player: SeenPlayer | null): Readonly<Record<string, string>>
  /** Runs before the check of the sign-in screen. */
  check(config: Config, signal: AbortSignal): AsyncGenerator<Finding>
  /** Checks the redirect of a sign-in with fields(). */
  checkRedirect(address: string, location: string, player: SeenPlayer | null, signal: AbortSignal): Promise<Finding>
  /** Checks a player that was seen. @returns true if the settings allow its address. */
  checkPlayer(config: Config, player: SeenPlayer, signal: AbortSignal): AsyncGenerator<Finding, boolean>
  /** Reported if no player was seen that asks this entry point. */
  readonly unseenPlayer: Finding
}
