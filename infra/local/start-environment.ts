/** Reads the environment variables of `npm start`. Throws `CannotStart` if one is not valid. */
import { readFile } from 'node:fs/promises';
import { IssuerUrl, parseSignInFile } from '#infra/stacks/sign-in-settings.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import { CannotStart } from './host/cannot-start.ts';

export const DEFAULT_PORT = 4000;

export function parsePort(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new CannotStart(`PORT=${text} is not a port. Give a number from 1 to 65535, for example PORT=4000`);
}

/** The issuer in RUNDOWN_OAUTH_ISSUER, if it is set. */
export function readExternalIssuer(): string | undefined {
  const { RUNDOWN_OAUTH_ISSUER: issuer } = process.env;
  if (!issuer) return undefined;
  if (IssuerUrl.safeParse(issuer).success) return issuer;
  throw new CannotStart(
    `RUNDOWN_OAUTH_ISSUER=${issuer} is not a valid issuer. Set the https URL of the issuer, spelled exactly as in its metadata, such as https://auth.example.com, or unset the variable to use the built-in issuer`,
  );
}

/** The settings of `infra/README.md` in the file that RUNDOWN_SIGN_IN names. */
export async function readSignInProviders(): Promise<DeploymentProvider[]> {
  const { RUNDOWN_SIGN_IN: file } = process.env;
  if (!file) return [];
  try {
    return parseSignInFile(await readFile(file, 'utf8'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CannotStart(`RUNDOWN_SIGN_IN=${file} has no valid settings: ${problem}`);
  }
}

/** The stores for people: those of RUNDOWN_AWS_ENDPOINT, or the embedded ones. */
export const getStoreName = (): string => process.env.RUNDOWN_AWS_ENDPOINT ?? 'embedded';
