// Reloads the list of requests while the page is visible. Unfolded requests stay unfolded.
const EVERY_MS = 2_000

async function refresh() {
  if (document.hidden) return
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null)
  if (!answer?.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-requests]')
  const list = document.querySelector('[data-requests]')
  if (fresh === null || fresh.firstElementChild?.id === list.firstElementChild?.id) return
  for (const details of list.querySelectorAll('details[open]')) {
    fresh.querySelector(`#${details.parentElement.id} details`)?.setAttribute('open', '')
  }
  document.querySelector('.empty')?.remove()
  list.replaceChildren(...fresh.children)
}

setInterval(refresh, EVERY_MS)
