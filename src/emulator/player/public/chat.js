import { setUpConversation } from '/assets/conversation.js'
import { openGate } from '/assets/gate.js'

const settings = JSON.parse(document.body.dataset.settings)
const conversation = setUpConversation({
  chat: document.querySelector('[data-chat]'),
  settings,
  recheck: () => gate.recheck(),
})
const gate = openGate({
  element: document.querySelector('[data-gate]'),
  settings,
  onOpen: conversation.open,
  onClose: conversation.close,
})
