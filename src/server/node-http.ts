/** Node's HTTP module. An import statement would also load Node's WebSocket client, which takes 20 ms of the start. */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
