/** Simulates an agent that finds the last failed run on main, and then its error, failed step and page state. */

interface Path {
  readonly calls: number;
  readonly characters: number;
  /** The answer of the last call. */
  readonly text: string;
}

type Call = (name: string, args: object) => Promise<string>;

/** Calls a fixed sequence of tools. Each call takes its ids from the previous answer, as a model would. */
export async function agentPath(call: Call, project: string): Promise<Path> {
  const answers: string[] = [];
  const next = async (name: string, args: object): Promise<string> => {
    const text = await call(name, args);
    answers.push(text);
    return text;
  };
  const found = (text: string, pattern: RegExp): string => {
    const id = pattern.exec(text)?.[1];
    if (id === undefined) throw new Error(`The answer does not contain ${pattern}: ${text.slice(0, 500)}`);
    return id;
  };
  const projects = await next('list_projects', {});
  const projectId = found(projects, new RegExp(`"projectId":"(\\w+)","name":"${project}"`));
  const runs = await next('list_runs', { projectId, branches: ['main'], status: ['FAILED'], limit: 1 });
  const run = await next('get_context', { run_id: found(runs, /"runId":"(\w+)"/) });
  const test = found(run, /`get_context (\{"instance_id":[^`]*\})`/);
  const text = await next('get_context', JSON.parse(test));
  return { calls: answers.length, characters: answers.join('').length, text };
}
