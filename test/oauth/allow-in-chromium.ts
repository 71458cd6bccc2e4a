/** A person who allows an application in their real browser. */
import type { Account } from '#shared/model/organizations/account.ts';
import { profile } from '#test/harness/chromium.ts';
import { REDIRECT_URI } from '#test/harness/own-issuer.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';

/** Opens the address of an authorization request and allows it. Returns the address at the application. */
export async function allow(stage: TestService & Tenant, account: Account, address: URL): Promise<URL> {
  const page = await (await profile(stage.origin, await signIn(stage, account))).newPage();
  // Nothing listens at the application. The browser's request has the answer.
  const answered = page.waitForRequest((request) => request.url().startsWith(REDIRECT_URI));
  await page.goto(address.href);
  await page.getByRole('button', { name: 'Allow' }).click();
  return new URL((await answered).url());
}
