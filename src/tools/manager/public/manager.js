// Keeps the figures of the evening live. Without this script, the button "Refresh" loads the page again.
const live = document.querySelector('[data-live]')
if (live) {
  const source = new EventSource(live.dataset.live)
  source.addEventListener('part', ({ data }) => {
    const { id, html } = JSON.parse(data)
    const part = document.getElementById(id)
    // A part with the focus stays, so that a keyboard loses no button.
    if (part && !part.contains(document.activeElement)) part.innerHTML = html
  })
  source.addEventListener('end', () => {
    source.close()
    location.reload()
  })
  document.body.classList.add('is-live')
}
