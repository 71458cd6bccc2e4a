/** Renders the environment of a test and the version of the tested code. */
import type { TestContext } from '#shared/context/context-wire.ts';
import { type Block, bullets, type PhrasePart, quote } from './nodes.ts';

type Environment = NonNullable<TestContext['environment']>;
type Git = NonNullable<TestContext['git']>;

const renderVersion = (words: string, name: string | null, version: string | null): PhrasePart[][] =>
  name ? [[`${words}: `, quote(version ? `${name} ${version}` : name)]] : [];

const renderList = (lines: readonly PhrasePart[][]): Block[] => (lines.length > 0 ? [bullets(lines)] : []);

export const renderEnvironment = ({ framework, platform, project }: Environment): Block[] =>
  renderList([
    ...renderVersion('Framework', framework?.type ?? null, framework?.version ?? null),
    ...renderVersion('Operating system', platform?.osName ?? null, platform?.osVersion ?? null),
    ...renderVersion('Browser', platform?.browserName ?? null, platform?.browserVersion ?? null),
    ...renderVersion('Project', project, null),
  ]);

const BOTH_PROVEN = 'The CI system proved repository and commit';
const REPOSITORY_PROVEN = 'The CI system proved the repository. The job itself named the commit';

export const renderGit = ({ repository, branch, sha, pullRequest, proof }: Git): Block[] =>
  renderList([
    ...renderVersion('Repository', repository, null),
    ...renderVersion('Branch', branch, null),
    ...renderVersion('Commit', sha, null),
    ...renderVersion('Pull request', pullRequest?.number ?? null, null),
    ...renderVersion('Pull request into', pullRequest?.baseBranch ?? null, null),
    ...renderVersion('Pull request at', pullRequest?.url ?? null, null),
    ...(proof ? [[proof === 'commit' ? BOTH_PROVEN : REPOSITORY_PROVEN]] : []),
  ]);
