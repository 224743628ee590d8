import { setUpConversation } from '/assets/conversation.js'
import { openGate } from '/assets/gate.js'
import { setUpScreen } from '/assets/screen.js'

// One sign-in opens both: the gate covers the whole page.
const settings = JSON.parse(document.body.dataset.settings)
const recheck = () => gate.recheck()
const screen = setUpScreen({ stage: document.querySelector('[data-stage]'), settings, recheck })
const conversation = setUpConversation({ chat: document.querySelector('[data-chat]'), settings, recheck })
const gate = openGate({
  element: document.querySelector('[data-gate]'),
  settings,
  onOpen(answer) {
    conversation.open(answer)
    screen.open(answer)
  },
  onClose() {
    conversation.close()
    screen.close()
  },
})
