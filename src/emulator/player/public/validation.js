/**
 * Sends the validation request.
 * @param response the response to validate; null for a content without lock.
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
