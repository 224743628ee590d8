// Asks the authenticator for a passkey, and posts its answer.

const form = document.forms.passkey
const alert = form.querySelector('[role="alert"]') ?? document.getElementById('alert')
const { kind, publicKey, automatic, cancelled, unsupported, exists } = form.dataset

if (navigator.credentials && window.PublicKeyCredential) {
  for (const part of document.querySelectorAll('#instruction, #steps')) part.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void ask()
  })
  if (automatic !== undefined) void ask()
} else say(unsupported)

async function ask() {
  const button = form.querySelector('button')
  button.disabled = true
  try {
    const { id, response } = await navigator.credentials[kind]({ publicKey: withBytes(JSON.parse(publicKey)) })
    const fields = { id, clientData: text(response.clientDataJSON) }
    if (kind === 'create') {
      fields.attestation = text(response.attestationObject)
      fields.transports = (response.getTransports?.() ?? []).join()
    } else {
      fields.authenticatorData = text(response.authenticatorData)
      fields.signature = text(response.signature)
      fields.userHandle = text(response.userHandle ?? new ArrayBuffer())
    }
    for (const name in fields) form.append(hidden(name, fields[name]))
    form.submit()
  } catch ({ name }) {
    button.disabled = false
    const isUnsupported = name === 'NotSupportedError' || name === 'SecurityError'
    say(name === 'InvalidStateError' ? exists : isUnsupported ? unsupported : cancelled)
  }
}

function say(sentence) {
  alert.textContent = sentence
  alert.hidden = false
  document.body.className = 'has-alert'
}

function hidden(name, value) {
  return Object.assign(document.createElement('input'), { type: 'hidden', name, value })
}

function withBytes(options) {
  options.challenge = bytes(options.challenge)
  if (options.user) options.user.id = bytes(options.user.id)
  for (const known of [options.excludeCredentials ?? [], options.allowCredentials ?? []].flat())
    known.id = bytes(known.id)
  return options
}

function bytes(base64url) {
  const binary = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function text(buffer) {
  const binary = String.fromCharCode(...new Uint8Array(buffer))
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}
