/** Measures the sizes of the deployed bundles. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadServedClients } from '#infra/client/served-clients.ts';
import type { BenchSetup } from './bench-service.ts';
import type { Measurement } from './budgets.ts';

const AUTHORIZER = 'authorizer';
const CLIENTS = 'client';
/** Bundles that have budgets of their own, with the names of the budgets. */
const PAGES = {
  pages: 'pagesKilobytes',
  settings: 'settingsKilobytes',
  contexts: 'contextsKilobytes',
  issues: 'issuesKilobytes',
  shares: 'sharesKilobytes',
  [CLIENTS]: 'clientKilobytes',
  docs: 'docsKilobytes',
  forms: 'formsKilobytes',
  'run-forms': 'runFormsKilobytes',
  'company-settings': 'companySettingsKilobytes',
  'company-sign-in': 'companySignInKilobytes',
  'provider-sign-in': 'providerSignInKilobytes',
  'sign-in': 'signInKilobytes',
  mcp: 'mcpKilobytes',
  'authorization-server': 'authorizationServerKilobytes',
  consent: 'consentKilobytes',
} as const;
/** Functions that include the parsers of all report formats. */
const IMPORTS: readonly string[] = ['create-import', 'record-report'];
/** Functions that include the clients of all issue trackers. */
const hasTrackers = (name: string): boolean =>
  name === 'track-issues' || /^(?:create|link)-(?:jira-)?issue$|^list-(?:jira-|tracker-|issue-types)/.test(name);
const isApi = (name: string): boolean =>
  name !== AUTHORIZER && name !== 'assets' && !(name in PAGES) && !IMPORTS.includes(name) && !hasTrackers(name);

interface Size {
  readonly name: string;
  readonly kilobytes: number;
}

const largestOf = (sizes: readonly Size[]): number => Math.max(...sizes.map(({ kilobytes }) => kilobytes));

export async function measureBundles({ assembly }: BenchSetup): Promise<Measurement[]> {
  const { packages } = await loadServedClients();
  const folder = join(assembly, 'bundles');
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const { size } = await stat(join(folder, name, 'index.js'));
      return { name, kilobytes: size / 1000 };
    }),
  );
  const functions = sizes.filter(({ name }) => isApi(name)).sort((a, b) => b.kilobytes - a.kilobytes);
  const [largest] = functions;
  const smallest = functions.at(-1);
  const authorizer = sizes.find(({ name }) => name === AUTHORIZER);
  if (!largest || !smallest || !authorizer) throw new Error(`There are no bundles in ${folder}`);
  const note = `${largest.name}; smallest ${smallest.name} ${smallest.kilobytes.toFixed(0)} KB`;
  return [
    { name: 'functionKilobytes', measured: largest.kilobytes, note },
    { name: 'authorizerKilobytes', measured: authorizer.kilobytes },
    { name: 'importKilobytes', measured: largestOf(sizes.filter(({ name }) => IMPORTS.includes(name))) },
    { name: 'trackerKilobytes', measured: largestOf(sizes.filter(({ name }) => hasTrackers(name))) },
    ...Object.entries(PAGES).map(([folder, name]) => {
      const found = sizes.find((one) => one.name === folder);
      if (!found) throw new Error(`There is no bundle of ${folder}`);
      // The function of the clients contains a packed client for each served version.
      return { name, measured: folder === CLIENTS ? found.kilobytes / packages.size : found.kilobytes };
    }),
  ];
}
