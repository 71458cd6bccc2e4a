/** Removes from paths and titles what differs between runs and machines, such as the folder of the checkout. */
import { removeControlSequences, trimFinalSlashes } from '#shared/engine/plain-text.ts';

/** The folders into which CI systems check out a repository. */
const CHECKOUTS: readonly RegExp[] = [
  /^\/home\/runner\/(?:_?work)\/[^/]+\/[^/]+\//,
  /^\/Users\/runner\/work\/[^/]+\/[^/]+\//,
  /^\/__w\/[^/]+\/[^/]+\//,
  /^[A-Za-z]:\/a\/[^/]+\/[^/]+\//,
  /^\/builds\/[^/]+\/[^/]+\//,
  /^\/home\/circleci\/project\//,
  /^\/home\/travis\/build\/[^/]+\/[^/]+\//,
  /^\/(?:home\/vsts|__w|opt\/vsts)\/work\/\d+\/s\//,
  /^\/opt\/atlassian\/pipelines\/agent\/build\//,
  /^\/var\/lib\/buildkite-agent\/builds\/[^/]+\/[^/]+\/[^/]+\//,
  /^\/var\/(?:lib\/jenkins|jenkins_home)\/workspace\/[^/]+\//,
  /^\/home\/jenkins\/(?:agent\/)?workspace\/[^/]+\//,
  /^\/workspace\//,
];

export const toForwardSlashes = (path: string): string => path.replaceAll('\\', '/');

/** Called once per import instead of once per path. */
export const normalizeRoot = (root: string): string => trimFinalSlashes(toForwardSlashes(root));

/** Relative to the root of its repository. `root` must be a result of `normalizeRoot`. */
export function toSpecPath(path: string, root: string | undefined): string {
  const fullPath = toForwardSlashes(path).replace(/^file:\/\/(?=\/)/, '');
  const relative =
    root && fullPath.startsWith(`${root}/`)
      ? fullPath.slice(root.length + 1)
      : CHECKOUTS.reduce((text, folder) => text.replace(folder, ''), fullPath);
  return relative.replace(/^(?:\.\/+)+/, '');
}

/** Control characters, except line breaks and tabs, which are kept because titles may have several lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the purpose is to find control characters
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Removes escape codes and control characters, which most writers of JUnit files omit anyway. */
export const cleanTitle = (title: string): string => removeControlSequences(title).replaceAll(CONTROLS, '');

const UNSTABLE: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\w$\]])@[0-9a-f]{5,16}\b/g, '@…'],
  [/\b0x[0-9a-fA-F]{6,16}\b/g, '0x…'],
  [/(?:\/private)?\/(?:tmp|var\/folders)\/[^\s'"()[\]]{1,500}/g, '/tmp/…'],
];

export const replaceUnstableParts = (title: string): string =>
  UNSTABLE.reduce((text, [part, replacement]) => text.replaceAll(part, replacement), title);

const HOOK = /"(?:before|after) (?:all|each)" hook(?:: [^"]*)?(?<test> for ")/;

/** mocha adds the name of the current test to a failed hook. It is removed, because it changes with the test order. */
export function cleanHookTitle(name: string): string {
  const hook = HOOK.exec(name);
  if (!hook) return name;
  const end = hook.index + hook[0].length;
  return name.endsWith('"') && end < name.length ? name.slice(0, end - (hook.groups?.test?.length ?? 0)) : name;
}

/** The group name that the streaming reporter uses for a Playwright project without a name. */
export const UNNAMED_PROJECT = 'project';

export const DEFAULT_GROUP = 'default';
