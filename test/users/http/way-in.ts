import type { WayIn } from '../../way-in.ts'
import { startExampleService } from './example-service.ts'

const VIEWER = { username: 'ada@example.com', password: 'seven quiet herons' }

export const httpWay: WayIn = {
  name: 'a password at a login service',
  async prepare() {
    const { url, token } = await startExampleService()
    return {
      settings: { USER_STORE_URL: url, HTTP_STORE_TOKEN: token },
      signIn: (app, fields) => app.post('/sign-in', { ...VIEWER, ...fields }),
    }
  },
}
