/** The fields of an entry point where each viewer has one screen. */
export const oneScreen: object = { screensPerViewer: 1 }
