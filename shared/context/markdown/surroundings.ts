/** Renders the environment of a test and the version of the tested code. */
import type { TestContext } from '#shared/context/context-wire.ts';
import { type Block, bullets, type PhrasePart, quoted } from './nodes.ts';

type Environment = NonNullable<TestContext['environment']>;
type Git = NonNullable<TestContext['git']>;

/** Renders a label, a name and, if it is known, the version. Returns nothing if the name is unknown. */
const versioned = (words: string, name: string | null, version: string | null): PhrasePart[][] =>
  name ? [[`${words}: `, quoted(version ? `${name} ${version}` : name)]] : [];

const list = (lines: readonly PhrasePart[][]): Block[] => (lines.length > 0 ? [bullets(lines)] : []);

export const environmentBlocks = ({ framework, platform, project }: Environment): Block[] =>
  list([
    ...versioned('Framework', framework?.type ?? null, framework?.version ?? null),
    ...versioned('Operating system', platform?.osName ?? null, platform?.osVersion ?? null),
    ...versioned('Browser', platform?.browserName ?? null, platform?.browserVersion ?? null),
    ...versioned('Project', project, null),
  ]);

export const gitBlocks = ({ repository, branch, sha, pullRequest }: Git): Block[] =>
  list([
    ...versioned('Repository', repository, null),
    ...versioned('Branch', branch, null),
    ...versioned('Commit', sha, null),
    ...versioned('Pull request', pullRequest?.number ?? null, null),
    ...versioned('Pull request into', pullRequest?.baseBranch ?? null, null),
    ...versioned('Pull request at', pullRequest?.url ?? null, null),
  ]);
