/** A person who gives consent in a real browser. */
import type { Account } from '#shared/model/organizations/account.ts';
import type { Scope } from '#shared/model/organizations/permissions.ts';
import { profile } from '#test/harness/chromium.ts';
import { REDIRECT_URI } from '#test/harness/own-issuer.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';

/**
 * Opens the address of an authorization request, ticks these permissions as well, and allows it. Returns the redirect to
 * the application.
 */
export async function allow(
  stage: TestService & Tenant,
  account: Account,
  address: URL,
  furtherScopes: readonly Scope[] = [],
): Promise<URL> {
  const page = await (await profile(stage.origin, await signIn(stage, account))).newPage();
  // Nothing listens at the redirect URI of the application, so the redirect is read from the request that the browser
  // makes.
  const answered = page.waitForRequest((request) => request.url().startsWith(REDIRECT_URI));
  await page.goto(address.href);
  for (const scope of furtherScopes) await page.getByLabel(scope).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  return new URL((await answered).url());
}
