import { expect, test } from 'vitest'
import { serviceFault } from '../../../../src/tools/cli/service/service-fault.ts'
import { ServiceRefusal } from '../../../../src/tools/video-service/service-errors.ts'

const settings = { basicForm: 'standard', bearerForm: 'standard', accessToken: null, loginFile: null } as const

test.each(['constructor', '__proto__', 'toString'])(
  'the error value %s from the service is not looked up in Object.prototype',
  (error) => {
    expect(serviceFault(new ServiceRefusal(error, 400), settings)).toBe(`The service refused: ${error} (status 400).`)
  },
)
