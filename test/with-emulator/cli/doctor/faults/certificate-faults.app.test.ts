import { expiredCertificate, trustedCertificate, unknownCertificate } from './certificates.ts'
import { testFaults } from './fault-tests.ts'

testFaults('TLS in front of the app', [
  { name: 'no authority signed the certificate', tls: unknownCertificate, findings: ['failure certificate-untrusted'] },
  { name: 'the certificate has expired', tls: expiredCertificate, findings: ['failure certificate-expired'] },
  {
    name: 'the certificate is for another name',
    tls: () => trustedCertificate(['DNS:other.example']),
    findings: ['failure certificate-name'],
  },
  {
    name: 'the certificate ends within 14 days',
    tls: () => trustedCertificate(undefined, 10),
    findings: ['warning certificate-ends'],
    isHarmless: true,
  },
  {
    name: 'the port has no TLS',
    settings: ({ PUBLIC_URL = '' }) => ({ PUBLIC_URL: PUBLIC_URL.replace('http:', 'https:') }),
    findings: ['failure no-tls'],
  },
  {
    name: 'the number of proxies is 0 behind https',
    tls: () => trustedCertificate(),
    settings: () => ({ TRUST_PROXY_HOPS: '0' }),
    findings: ['warning no-proxy-hops'],
    isHarmless: true,
  },
  {
    name: 'the number of proxies is too high',
    settings: () => ({ TRUST_PROXY_HOPS: '2' }),
    findings: ['warning forged-address'],
    isHarmless: true,
  },
  {
    name: 'this machine is among the trusted proxies, behind https',
    tls: () => trustedCertificate(),
    settings: () => ({ TRUST_PROXY_HOPS: '0', TRUSTED_PROXIES: '127.0.0.0/8' }),
    findings: ['warning forged-address'],
    isHarmless: true,
  },
])
