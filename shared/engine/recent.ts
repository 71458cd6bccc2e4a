/** Values that a container of a function keeps for a short time: at most so many, and the least recently used go first. */
export class Recent<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly keptAt: number }>();
  readonly #limits: RecentLimits;

  constructor(limits: RecentLimits) {
    this.#limits = limits;
  }

  /** `now` is in epoch milliseconds. */
  recall(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    const age = now - entry.keptAt;
    if (age < 0 || age >= this.#limits.milliseconds) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  keep(key: string, value: Value, now: number): void {
    this.#entries.delete(key);
    const [oldestKey] = this.#entries.keys();
    if (oldestKey !== undefined && this.#entries.size >= this.#limits.entries) this.#entries.delete(oldestKey);
    this.#entries.set(key, { value, keptAt: now });
  }
}

interface RecentLimits {
  readonly entries: number;
  readonly milliseconds: number;
}
