/** Starts a program as if the shell had started it, and hands signals on to it. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandFailure } from './settings/failure.ts';

export interface ProgramEnd {
  /** The exit code of the program, or that of a shell if a signal ended it. */
  readonly code: number;
  /** The signal that ended the program, or that this process got meanwhile. */
  readonly signal: NodeJS.Signals | undefined;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal ends the program and not this process, which still has to upload reports. The second one ends both. */
export function startProgram(
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<ProgramEnd> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  let signalOfParent: NodeJS.Signals | undefined;
  const handOn = (name: NodeJS.Signals) => {
    signalOfParent ??= name;
    // Ctrl-C reaches all processes of a terminal.
    if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
  };
  for (const name of SIGNALS) process.once(name, handOn);
  return new Promise((end, fail) => {
    child.on('error', (error) =>
      fail(new CommandFailure(`${program} cannot be started: ${error.message}`, 'Check its name')),
    );
    child.on('close', (code, signal) => {
      for (const name of SIGNALS) process.off(name, handOn);
      end({
        code: code ?? 128 + (signal ? constants.signals[signal] : 1),
        signal: signal ?? signalOfParent,
      });
    });
  });
}
