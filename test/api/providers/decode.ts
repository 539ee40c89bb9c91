import { type Provider, providerSteps } from '../../../src/api/providers/providers.ts'
import { atOnce } from '../../../src/slices.ts'

/** {@link providerSteps} without interruption. */
export function decodeProviders(text: string): Provider[] {
  return atOnce(providerSteps(text))
}
