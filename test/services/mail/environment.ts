/** Returns the settings of the app for a mail server of a test. */
export function mailEnvironment(port: number): Record<string, string> {
  return { SMTP_URL: `smtp://localhost:${port}`, MAIL_FROM: 'login@example.com', WATCH_URL: 'https://www.example.com/' }
}
