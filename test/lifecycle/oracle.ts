/** An independent model of §3 and §6: the states and events of one run. It shares no code with the service. */

export const GROUPS = ['chromium', 'firefox'] as const;
export const SPECS = ['cart', 'tax'] as const;
export const TESTS = ['one', 'two'] as const;
export const MACHINES = ['m1', 'm2', 'm3'] as const;

type Group = (typeof GROUPS)[number];
type Spec = (typeof SPECS)[number];
type Machine = (typeof MACHINES)[number];
type Outcome = 'passed' | 'failed' | 'skipped';

export type Command =
  | { readonly do: 'create' | 'claim'; readonly machine: Machine; readonly group: Group; readonly spec: Spec }
  | {
      readonly do: 'result';
      readonly group: Group;
      readonly spec: Spec;
      readonly test: (typeof TESTS)[number];
      readonly outcome: Outcome;
    }
  | { readonly do: 'cancel' | 'cancelOwn' | 'delete' }
  | { readonly do: 'reset'; readonly machine: Machine }
  | { readonly do: 'wait'; readonly minutes: number };

const TIMEOUT_MINUTES = 30;

interface Instance {
  claims: Machine[];
  readonly results: Map<string, Outcome>;
}

export class RunOracle {
  state: 'none' | 'IN_PROGRESS' | 'COMPLETE' | 'CANCELED' | 'TIMEOUT' | 'deleted' = 'none';
  status = 'RUNNING';
  readonly published: string[] = [];
  readonly #instances = new Map<string, Instance>();
  #minute = 0;
  #heard = 0;
  /** What the events of the latest end said. `counts` is absent after a time-out. */
  #announced: { readonly status: string; readonly counts?: Readonly<Record<string, string>> } | undefined;
  /** Whether a machine reopened the run, which then ends after a minute of silence. */
  #lingers = false;

  /** Returns the expected response: the HTTP status, and the error code of a refusal or the number of claims. */
  expect(command: Command): string {
    if (command.do === 'wait') return this.#wait(command.minutes);
    if (command.do === 'create') return this.#create();
    if (this.state === 'none' || this.state === 'deleted') return command.do === 'cancelOwn' ? '200' : '404';
    switch (command.do) {
      case 'claim':
        return this.#claim(command.group, command.spec, command.machine);
      case 'result':
        return this.#result(command.group, command.spec, command.test, command.outcome);
      case 'cancel':
        return this.#end('CANCELED', 'RUN_CANCELED') ? '200' : '422';
      case 'cancelOwn':
        this.#end('CANCELED', 'RUN_CANCELED');
        return '200';
      case 'delete':
        this.state = 'deleted';
        return '200';
      case 'reset':
        return this.#reset(command.machine);
    }
  }

  /** The numbers of passed, failed and skipped tests of a group, and the number of its complete spec files. */
  counts(group: Group): readonly number[] {
    const own = SPECS.map((spec) => this.#of(group, spec));
    const all = own.flatMap(({ results }) => [...results.values()]);
    const countOf = (wanted: Outcome) => all.filter((outcome) => outcome === wanted).length;
    return [countOf('passed'), countOf('failed'), countOf('skipped'), own.filter(isComplete).length];
  }

  #of(group: Group, spec: Spec): Instance {
    const key = `${group} ${spec}`;
    const known = this.#instances.get(key) ?? { claims: [], results: new Map() };
    this.#instances.set(key, known);
    return known;
  }

  #create(): string {
    if (this.state === 'deleted') return '422 RUN_EXPIRED';
    if (this.state === 'none') {
      this.state = 'IN_PROGRESS';
      for (const group of GROUPS) this.published.push(`RUN_START ${group}`);
    }
    return this.#takes();
  }

  /** The response to a request of a reporter. An accepted request extends the timeout, and reopens a run that has ended. */
  #takes(): string {
    if (this.state === 'CANCELED') return '422 RUN_CANCELLED';
    if (this.state !== 'IN_PROGRESS') {
      this.state = 'IN_PROGRESS';
      this.status = this.#anyFailed() ? 'FAILING' : 'RUNNING';
      this.#lingers = true;
    }
    this.#heard = this.#minute;
    return '200';
  }

  #claim(group: Group, spec: Spec, machine: Machine): string {
    const answer = this.#takes();
    if (answer !== '200') return answer;
    const instance = this.#of(group, spec);
    instance.claims.push(machine);
    return `200 ${instance.claims.length}`;
  }

  #result(group: Group, spec: Spec, test: string, outcome: Outcome): string {
    this.#of(group, spec).results.set(test, outcome);
    this.#heard = this.#minute;
    if (this.state === 'IN_PROGRESS') {
      if (outcome !== 'passed') this.status = 'FAILING';
      if (!this.#lingers && this.#isReported()) this.#end('COMPLETE', 'RUN_FINISH');
    } else if (this.state === 'TIMEOUT' && this.#isReported()) {
      this.state = 'IN_PROGRESS';
      this.#end('COMPLETE', 'RUN_FINISH');
    }
    this.#judge();
    return '200';
  }

  #isReported(): boolean {
    return GROUPS.every((name) => SPECS.every((file) => isComplete(this.#of(name, file))));
  }

  /**
   * Sets the status of an ended run. The run passes if at least one test has reported, and none has failed or was
   * skipped. A run that timed out passes only if, in addition, all its expected tests have reported.
   */
  #judge(): void {
    if (this.state === 'IN_PROGRESS') return;
    const all = GROUPS.flatMap((group) => SPECS.map((spec) => this.#of(group, spec)));
    const isMissing =
      this.state === 'TIMEOUT' ? !all.every(isComplete) : all.every(({ results }) => results.size === 0);
    this.status = this.#anyFailed() || isMissing ? 'FAILED' : 'PASSED';
  }

  #anyFailed(): boolean {
    return [...this.#instances.values()].some(({ results }) => [...results.values()].some((one) => one !== 'passed'));
  }

  #end(state: 'COMPLETE' | 'CANCELED' | 'TIMEOUT', event: string): boolean {
    if (this.state !== 'IN_PROGRESS') return false;
    this.state = state;
    this.#judge();
    const earlier = this.#announced;
    const now = Object.fromEntries(GROUPS.map((group) => [group, String(this.counts(group).slice(0, 3))]));
    const isKnown = (group: string) =>
      event === 'RUN_FINISH' && earlier?.status === this.status && earlier.counts?.[group] === now[group];
    for (const group of GROUPS) if (!isKnown(group)) this.published.push(`${event} ${group}`);
    this.#announced = { status: this.status, ...(state === 'COMPLETE' && { counts: now }) };
    return true;
  }

  #reset(machine: Machine): string {
    if (this.state !== 'IN_PROGRESS') return '422';
    for (const instance of this.#instances.values()) {
      const clean = isComplete(instance) && [...instance.results.values()].every((one) => one === 'passed');
      if (clean || !instance.claims.includes(machine)) continue;
      instance.claims = instance.claims.filter((one) => one !== machine);
      instance.results.clear();
      this.#heard = this.#minute;
    }
    if (!this.#anyFailed()) this.status = 'RUNNING';
    return '200';
  }

  /** Advances the clock, and then runs the timeout sweep. */
  #wait(minutes: number): string {
    this.#minute += minutes;
    if (this.#lingers && this.state === 'IN_PROGRESS' && this.#minute > this.#heard) {
      this.#lingers = false;
      if (this.#isReported()) this.#end('COMPLETE', 'RUN_FINISH');
    }
    if (this.#minute - this.#heard > TIMEOUT_MINUTES) this.#end('TIMEOUT', 'RUN_TIMEOUT');
    return 'waited';
  }
}

const isComplete = ({ results }: Instance): boolean => results.size === TESTS.length;
