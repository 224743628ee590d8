import { openGate } from '/assets/gate.js'
import { setUpScreen } from '/assets/screen.js'

const stage = document.querySelector('[data-stage]')
const settings = JSON.parse(document.body.dataset.settings)
const screen = setUpScreen({ stage, settings, recheck: () => gate.recheck() })
const gate = openGate({
  element: document.querySelector('[data-gate]'),
  settings,
  onOpen: screen.open,
  onClose: screen.close,
})
