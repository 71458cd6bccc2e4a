/** Runs `npm run login` with a browser that opens the printed address. */
import { once } from 'node:events';
import { start } from '#test/infra/local/child.ts';
import { attribute, type Browser, browser, left, type Page, shown, textOf } from './browser.ts';

export interface LoginOptions {
  /** RUNDOWN_DATA, the folder of `local.json`. */
  readonly folder: string;
  readonly args?: readonly string[];
  /** Handles the printed address. By default nothing happens. */
  readonly person?: (address: URL) => Promise<unknown>;
}

export interface LoggedIn {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

const ADDRESS = /^(http\S+)\n/m;

export async function runLogin({ folder, args = [], person }: LoginOptions): Promise<LoggedIn> {
  const child = start(['infra/cli/login.ts', ...args], { RUNDOWN_DATA: folder });
  const [output, errors]: [string[], string[]] = [[], []];
  let opened: Promise<unknown> | undefined;
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => {
    errors.push(String(chunk));
    const [, address] = ADDRESS.exec(errors.join('')) ?? [];
    if (address !== undefined) opened ??= person?.(new URL(address));
  });
  await once(child, 'close');
  await opened;
  return { status: child.exitCode, output: output.join(''), errors: errors.join('') };
}

/** Signs in as the member with this address and returns to the program. */
export const signInAs =
  (email: string, decision: 'Allow' | 'Deny' = 'Allow', organizationId?: string) =>
  async (address: URL): Promise<void> => {
    const by = browser(address.origin);
    const members = await chooseOrganization(by, shown(await by.open(address)), organizationId);
    const account = accountOf(members, email);
    const consent = shown(await by.submit(members, 'Continue', { account }));
    await (await fetch(left(await by.submit(consent, decision)))).text();
  };

async function chooseOrganization(by: Browser, page: Page, organizationId: string | undefined): Promise<Page> {
  if (organizationId === undefined || page.html.includes('name="account"')) return page;
  return shown(await by.follow(page, `?organization=${organizationId}`));
}

function accountOf({ elements, text }: Page, email: string): string {
  const label = elements.find((element) => element.tagName === 'label' && textOf(element).includes(email));
  const input = label?.childNodes.find((node) => node.nodeName === 'input');
  const value = input && 'attrs' in input ? attribute(input, 'value') : undefined;
  if (value === undefined) throw new Error(`The page does not offer ${email}: ${text}`);
  return value;
}
