/** The guides that the build embeds. */
import { gunzipSync } from 'node:zlib';
import type { Root } from 'mdast';

export type GuideName = 'reporters' | 'api' | 'provisioning' | 'changelog';

/** The guides as trees of Markdown nodes: JSON, compressed with gzip, as base64. */
declare const BUILT_GUIDES: string;

export const GUIDES: Readonly<Record<GuideName, { readonly title: string; readonly about: string }>> = {
  reporters: {
    title: 'Record tests',
    about: 'Install the client from this service, and add one line for Playwright, Vitest, Jest or node:test',
  },
  api: {
    title: 'Use the API',
    about: 'Credentials, runs, failures, analytics, webhooks and OAuth, with commands to paste',
  },
  provisioning: {
    title: 'Provision people',
    about: 'Connect Okta, Microsoft Entra ID or another directory with SCIM 2.0, step by step, for Admins',
  },
  changelog: { title: 'Changelog', about: 'What is new in each version' },
};

export function readGuide(name: GuideName): Root {
  const all: Readonly<Record<GuideName, Root>> = JSON.parse(gunzipSync(Buffer.from(BUILT_GUIDES, 'base64')).toString());
  return all[name];
}

export const isGuide = (name: string): name is GuideName => Object.hasOwn(GUIDES, name);
