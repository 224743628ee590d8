/**
 * Sends the validation request.
 * @param response the response to validate; null for a channel or video without lock.
 * @returns the service's answer; null if the service does not answer, or answers with an error.
 */
export async function askService({ contentType, contentId }, response) {
  try {
    const answer = await fetch('/embed/hashlock/validate', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ content_type: contentType, content_id: contentId, response }),
    })
    return answer.ok ? await answer.json() : null
  } catch {
    return null
  }
}

/**
 * Asks if a playback has ended, or the lock has another key.
 * @returns null if the service does not answer, or answers with an error.
 */
export async function isPlaybackOver({ media_url: mediaUrl }) {
  const answer = await fetch(mediaUrl, { method: 'HEAD' }).catch(() => null)
  if (answer?.ok) return false
  return answer?.status === 403 ? true : null
}
