/** Says how to send viewers to the event of the demo. */
export const eveningLines = (channel: string): readonly string[] => [
  '# Sends 50 viewers, who come, wait, watch and leave',
  `npm run -s viewer-auth -- drill --evening --count 50 --over 2m --watch ${channel}`,
]
