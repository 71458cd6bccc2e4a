/** A set of 32-bit integers, to count how many different ones there are. */

/** Takes half the time of `Set` if most of the added 32-bit integers are already present. */
export class NumberSet {
  size = 0;
  #slots = new Int32Array(1024);

  add(number: number): void {
    // 0 marks an empty slot.
    const entry = number || 1;
    const mask = this.#slots.length - 1;
    let slot = (entry ^ (entry >>> 15)) & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== entry) slot = (slot + 1) & mask;
    if (this.#slots[slot] === entry) return;
    this.#slots[slot] = entry;
    this.size += 1;
    if (this.size * 2 > mask) this.#grow();
  }

  #grow(): void {
    const oldSlots = this.#slots;
    this.#slots = new Int32Array(oldSlots.length * 4);
    this.size = 0;
    for (const number of oldSlots) if (number !== 0) this.add(number);
  }
}
