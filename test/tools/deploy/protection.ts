/** Tests termination protection of a deployed stack from the point of view of an operator. */
import assert from 'node:assert/strict';
import type { Cdk, EnvironmentName } from './cdk.ts';
import type { Emulator } from './emulator.ts';
import { signedCall } from './functions.ts';

/**
 * Checks that a protected stack cannot be destroyed. Then disables the protection, as `aws cloudformation
 * update-termination-protection` does.
 */
export async function endProtection(emulator: Emulator, cdk: Cdk, environment: EnvironmentName): Promise<void> {
  await assert.rejects(cdk.destroy(environment), /cdk destroy/, 'A protected stack was destroyed');
  const body = new URLSearchParams({
    Action: 'UpdateTerminationProtection',
    Version: '2010-05-15',
    StackName: `Rundown-${environment}`,
    EnableTerminationProtection: 'false',
  });
  const response = await signedCall(emulator, {
    service: 'cloudformation',
    method: 'POST',
    path: '/',
    body: `${body}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(response.status, 200, await response.text());
}
