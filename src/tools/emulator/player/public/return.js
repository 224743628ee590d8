// Script of the page that a login app redirects to. It passes the response to the page that frames it, and only if that
// page has the same origin.
const response = new URLSearchParams(location.search).get('hash') ?? ''
const { resource } = document.body.dataset
if (isFramedByUs()) {
  parent.postMessage({ type: 'authentication-response', response }, location.origin)
} else if (resource) {
  location.replace(`${resource}#hash=${encodeURIComponent(response)}`)
} else {
  document.querySelector('[data-alone]').hidden = false
}

function isFramedByUs() {
  if (parent === window) return false
  try {
    return parent.location.origin === location.origin
  } catch {
    return false
  }
}
