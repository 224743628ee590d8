import { setUpConversation } from '/assets/conversation.js'
import { openGate } from '/assets/gate.js'
import { setUpScreen } from '/assets/screen.js'

// The page holds the player, the chat or both. One sign-in opens all of them.
const settings = JSON.parse(document.body.dataset.settings)
const recheck = () => gate.recheck()
const chat = document.querySelector('[data-chat]')
const stage = document.querySelector('[data-stage]')
const parts = []
if (chat !== null) parts.push(setUpConversation({ chat, settings, recheck }))
if (stage !== null) parts.push(setUpScreen({ stage, settings, recheck }))
const gate = openGate({
  element: document.querySelector('[data-gate]'),
  settings,
  onOpen(answer) {
    for (const part of parts) part.open(answer)
  },
  onClose() {
    for (const part of parts) part.close()
  },
})
