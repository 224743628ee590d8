import type { Request, RequestHandler, Response } from 'express'
import { type Component, type Content, type ContentType, contentPath, type FrameLock } from './content.ts'
import { chatConsumer, entryAddress } from './entry-address.ts'
import { setPlayerPolicy } from './page-policy.ts'
import type { PlayerDeps } from './playbacks.ts'
import { sendNotFound, view } from './views-folder.ts'

/** The words of a conversation. */
const CHAT = { heading: 'Chat', empty: 'No messages yet. Say hello.', label: 'Your message' }
const QNA = { heading: 'Q&A', empty: 'No questions yet. Ask the first.', label: 'Your question' }

/** A page of the service that a customer embeds: its folder in the path, and its components. */
interface Embed {
  readonly folder: string
  readonly components: readonly Component[]
}

export type EmbedKind = 'player' | 'chat' | 'qna' | 'combined'

export const EMBEDS: Readonly<Record<EmbedKind, Embed>> = {
  player: { folder: 'embed', components: ['player'] },
  chat: { folder: 'chat', components: ['chat'] },
  qna: { folder: 'qna', components: ['qna'] },
  combined: { folder: 'combined', components: ['player', 'chat'] },
}

/** The part of a page that the answer of a login app has opened. */
interface OpenedInFrame {
  /** As the answer to a validation request. */
  readonly opening: object
  /** The address to which the page goes for a new answer. */
  readonly renewUrl: string
}

/**
 * Serves an embed. With a hash lock, the page asks the viewer to sign in. With a frame lock, only a valid answer of the
 * login app opens the page: without one, the service redirects the embed's own frame to the app.
 */
export function embedPage(kind: EmbedKind, type: ContentType, deps: PlayerDeps): RequestHandler {
  return async (req, res) => {
    const content = deps.findContent(type, String(req.params.id))
    if (content === null) return sendNotFound(res, deps.publicUrl)
    setPlayerPolicy(res, content)
    if (content.lock?.kind === 'frame')
      return await openInFrame(kind, { ...content, lock: content.lock }, req, res, deps)
    return render(kind, content, res, deps)
  }
}

async function openInFrame(
  kind: EmbedKind,
  content: Content & { readonly lock: FrameLock },
  req: Request,
  res: Response,
  deps: PlayerDeps,
): Promise<void> {
  const { folder, components } = EMBEDS[kind]
  const { lock, channelId } = content
  const answer = await lock.open(req, `/${folder}/${contentPath(content)}`, components)
  const inherited = lock.isInherited ? ` The viewer authentication belongs to channel ${channelId}.` : ''
  res.locals.explanation = answer.explanation + inherited
  if (!answer.ok) return res.redirect(302, answer.loginUrl)
  const opening = deps.playbacks.open(content, answer.viewer, null)
  return render(kind, content, res, deps, { opening, renewUrl: answer.renewUrl })
}

function render(
  kind: EmbedKind,
  content: Content,
  res: Response,
  { publicUrl }: PlayerDeps,
  opened?: OpenedInFrame,
): void {
  const settings = JSON.stringify({ ...gateSettings(kind, content, publicUrl), ...opened })
  const words = kind === 'qna' ? QNA : CHAT
  res.render(view(kind === 'qna' ? 'chat' : kind), { content, settings, words })
}

/** The settings that `public/gate.js` reads from the page. */
function gateSettings(kind: EmbedKind, content: Content, publicUrl: string) {
  const lock = content.lock?.kind === 'hash' ? content.lock : null
  const path = contentPath(content)
  const consumer = kind === 'player' ? undefined : chatConsumer(publicUrl, content, `/${kind}/${path}`)
  return {
    kind,
    contentType: content.type,
    contentId: String(content.id),
    contentPath: path,
    entryUrl: lock === null ? null : entryAddress(lock, content, consumer),
    texts: gateTexts(kind, lock?.message || null),
    popupWidth: pixels(lock?.popup_width),
    popupHeight: pixels(lock?.popup_height),
  }
}

const LOCKED: Readonly<Record<EmbedKind, string>> = {
  player: 'Log in to watch.',
  chat: 'Log in to join the chat.',
  qna: 'Log in to ask questions.',
  combined: 'Log in to watch.',
}

/** The texts of the gate by state. The message of the lock replaces the default. */
function gateTexts(kind: EmbedKind, message: string | null): Record<string, string> {
  return {
    locked: message ?? LOCKED[kind],
    checking: 'One moment…',
    cancelled: 'Login cancelled.',
    refused: 'The service rejected the login several times.',
    unreachable: 'The service is not responding.',
  }
}

/** Reads a size such as "400" or "400px"; null for any other text. */
function pixels(text: string | null | undefined): number | null {
  const digits = /^(\d{1,4})(px)?$/.exec(text ?? '')?.[1]
  return digits === undefined || Number(digits) === 0 ? null : Number(digits)
}
