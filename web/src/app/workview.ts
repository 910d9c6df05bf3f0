// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The report's 3D view with what a table of work needs: a section, measuring, labels, hiding, raking light, pictures.
import {
  AmbientLight, Box3, BufferGeometry, HemisphereLight, Line, LineBasicMaterial, type Material, type MeshLambertMaterial, Plane,
  Matrix4, Object3D, Points, Quaternion, Vector3,
} from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { ReportData, Source } from "../data";
import { element } from "../dom";
import { matrixOf, View } from "../scene";

export type Axis = "" | "x" | "y" | "z";
/** Fragments in the hand of a person. */
interface Moving {
  part: number;
  along: number[]; // what comes with it
  handle: Object3D; // at its middle; the gizmo holds it
  before: Matrix4; // of the handle
  poses: Map<number, Matrix4>; // where they stood
}
interface Mark {
  part: number;
  point: Vector3; // where it is when nothing is pulled apart
}

export class Workview extends View {
  private readonly layer = element("div", "", "labels");
  private readonly chips: HTMLElement[];
  private readonly anchors: Vector3[][]; // of each part some places for its number, the best first
  private place: number[]; // which of them; -1: all are behind other fragments
  private looking = 0;
  private readonly distance = element("span", "", "distance");
  private readonly line: Line;
  private marks: Mark[] = [];
  private labels = false;
  private wireframe = false;
  private holding = 0;
  private readonly gizmo: TransformControls;
  private moving: Moving | null = null;
  private section: { axis: Axis; share: number; flip: boolean } = { axis: "", share: 0.5, flip: false };
  private readonly complete: boolean = true; // the parent's constructor calls what is overridden here

  constructor(host: HTMLElement, data: ReportData, source: Source) {
    super(host, data, source);
    this.layer.setAttribute("aria-hidden", "true");
    this.layer.append(this.distance);
    this.distance.hidden = true;
    host.append(this.layer);
    this.chips = data.parts.map((part, i) => {
      const chip = element("span", String(i + 1), "chip");
      chip.style.borderColor = part.colour;
      this.layer.append(chip);
      return chip;
    });
    this.anchors = data.parts.map((_, i) => this.anchorsOf(i));
    this.place = data.parts.map(() => 0);
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial({ color: 0xd0021b, depthTest: false, transparent: true }));
    this.line.renderOrder = 3;
    this.line.visible = false;
    this.line.frustumCulled = false;
    this.scene.add(this.line);
    this.gizmo = new TransformControls(this.camera, this.renderer.domElement);
    this.gizmo.setSize(0.9);
    this.gizmo.addEventListener("change", () => this.draw());
    this.gizmo.addEventListener("dragging-changed", (event) => { this.controls.enabled = !event.value; });
    this.gizmo.addEventListener("objectChange", () => this.follow());
    this.scene.add(this.gizmo.getHelper());
    this.refresh();
  }

  // Moving by hand. Poses are those of the picture, in which everything that is joined stands as it is joined.

  startMove(part: number, along: number[]): void {
    this.endMove();
    const handle = new Object3D();
    handle.position.copy(this.anchors[part]![0]!).applyMatrix4(this.shown[part]!.object.matrix);
    this.scene.add(handle);
    handle.updateMatrix();
    const poses = new Map([part, ...along].map((p) => [p, this.shown[p]!.object.matrix.clone()]));
    this.moving = { part, along, handle, before: handle.matrix.clone(), poses };
    this.gizmo.attach(handle);
    this.draw();
  }
  get isMoving(): boolean {
    return this.moving !== null;
  }
  setTurning(on: boolean): void {
    this.gizmo.setMode(on ? "rotate" : "translate");
    this.draw();
  }
  /** Back to where they stood, unless what is kept says otherwise soon. */
  endMove(): void {
    if (!this.moving) return;
    this.gizmo.detach();
    this.scene.remove(this.moving.handle);
    for (const [part, pose] of this.moving.poses) this.stand(part, pose);
    this.moving = null;
    this.controls.enabled = true;
    this.draw();
  }
  private stand(part: number, pose: Matrix4): void {
    this.shown[part]!.object.matrix.copy(pose);
    this.shown[part]!.object.matrixWorldNeedsUpdate = true;
  }
  private follow(): void {
    const moving = this.moving;
    if (!moving) return;
    moving.handle.updateMatrix();
    const step = moving.handle.matrix.clone().multiply(moving.before.clone().invert());
    for (const [part, pose] of moving.poses) this.stand(part, step.clone().multiply(pose));
    this.draw();
  }
  /** By the keyboard: a hundredth of the picture, or a few degrees, as the eye sees right, up and towards. */
  nudge(right: number, up: number, near: number): void {
    if (!this.moving) return;
    const axes = [0, 1, 2].map((k) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, k));
    const by = axes[0]!.multiplyScalar(right).add(axes[1]!.multiplyScalar(up)).add(axes[2]!.multiplyScalar(near));
    const { handle } = this.moving;
    if (this.gizmo.mode === "rotate") handle.quaternion.premultiply(new Quaternion().setFromAxisAngle(by.clone().normalize(), Math.PI / 60));
    else handle.position.addScaledVector(by, 0.01 * this.radius);
    this.follow();
  }

  /** Some points of a part where it is drawn now. */
  private pointsOf(part: number, most = 250): Vector3[] {
    const { object, geometry } = this.shown[part]!;
    const n = geometry.positions.length / 3;
    const step = Math.max(1, Math.floor(n / most));
    const points: Vector3[] = [];
    for (let v = 0; v < n; v += step) points.push(new Vector3().fromArray(geometry.positions, 3 * v).applyMatrix4(object.matrix));
    return points;
  }
  /** What the moved fragment stands nearest to, and how: on_from_fragment. */
  standsOn(): { part: number; on: number; pose: number[][] } | null {
    const moving = this.moving;
    if (!moving) return null;
    const mine = this.pointsOf(moving.part);
    let nearest = Infinity;
    let on = -1;
    this.shown.forEach((shown, i) => {
      if (moving.poses.has(i) || !shown.group.visible || this.data.parts[i]!.dropped) return;
      for (const p of this.pointsOf(i)) {
        for (const q of mine) {
          const d = p.distanceToSquared(q);
          if (d < nearest) {
            nearest = d;
            on = i;
          }
        }
      }
    });
    if (on < 0) return null;
    const rows = this.shown[on]!.object.matrix.clone().invert().multiply(this.shown[moving.part]!.object.matrix).transpose().elements;
    return { part: moving.part, on, pose: [0, 1, 2, 3].map((r) => [...rows.slice(4 * r, 4 * r + 4)]) };
  }
  /** After it has snapped: there. */
  putOn(on: number, pose: number[][]): void {
    const moving = this.moving;
    if (!moving) return;
    const target = this.shown[on]!.object.matrix.clone().multiply(matrixOf(pose.flat()));
    const step = target.multiply(moving.poses.get(moving.part)!.clone().invert());
    step.clone().multiply(moving.before).decompose(moving.handle.position, moving.handle.quaternion, moving.handle.scale);
    moving.handle.updateMatrixWorld(true);
    this.follow();
    this.draw();
  }

  override update(data: ReportData, gaps: string[]): void {
    if (this.moving) {
      this.moving.poses.clear(); // they stand anew
      this.endMove();
    }
    super.update(data, gaps);
  }

  /** Points of a part in its own coordinates, so that labels lie on the surface: the one that is nearest to its
   * middle, and some far from those before, for when that is behind something. */
  private anchorsOf(part: number): Vector3[] {
    const { positions } = this.shown[part]!.geometry;
    const n = positions.length / 3;
    const points: Vector3[] = [];
    const step = Math.max(1, Math.floor(n / 1000));
    for (let v = 0; v < n; v += step) points.push(new Vector3().fromArray(positions, 3 * v));
    if (points.length === 0) return [new Vector3()];
    const middle = points.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(points.length);
    const nearest = points.reduce((best, p) => (p.distanceToSquared(middle) < best.distanceToSquared(middle) ? p : best));
    const chosen = [nearest];
    const distances = points.map((p) => p.distanceToSquared(nearest));
    while (chosen.length < Math.min(16, points.length)) {
      const next = points[distances.indexOf(Math.max(...distances))]!;
      chosen.push(next);
      points.forEach((p, i) => { distances[i] = Math.min(distances[i]!, p.distanceToSquared(next)); });
    }
    return chosen;
  }
  private world(part: number, place: number): Vector3 {
    const { object, group } = this.shown[part]!;
    return this.anchors[part]![Math.max(place, 0)]!.clone().applyMatrix4(object.matrix).add(group.position);
  }

  /** When nothing has moved for a moment: a number on a fragment in front must not be that of one behind. */
  private lookSoon(): void {
    window.clearTimeout(this.looking);
    if (!this.labels || this.selection.joint !== undefined || this.moving) return;
    this.looking = window.setTimeout(() => void this.firstPicture.then(() => this.look(0)), 120);
  }
  /** Of places on the page the one that is nearest to the middle of all; -1: there is none. */
  private amidst(places: ([number, number] | null)[]): number {
    const all = places.filter((p) => p !== null);
    const middle = [0, 1].map((k) => all.reduce((sum, p) => sum + p[k]!, 0) / all.length);
    let best = -1;
    let nearest = Infinity;
    places.forEach((p, i) => {
      const d = p ? Math.hypot(p[0] - middle[0]!, p[1] - middle[1]!) : Infinity;
      if (d < nearest) [best, nearest] = [i, d];
    });
    return best;
  }
  private look(first: number): void {
    const begin = performance.now();
    window.clearTimeout(this.looking);
    if (!this.layer.isConnected) return;
    const area = this.renderer.domElement.getBoundingClientRect();
    for (let part = first; part < this.shown.length; ++part) {
      // The page must stay at hand while many fragments are looked at.
      if (performance.now() - begin > 25) {
        this.looking = window.setTimeout(() => this.look(part), 0);
        return;
      }
      if (!this.shown[part]!.group.visible) continue;
      const seen = (place: number): [number, number] | null => {
        const at = this.onPage(this.world(part, place));
        return at !== null && (this.hit(area.left + at[0], area.top + at[1])?.part ?? part) === part ? at : null;
      };
      this.place[part] = seen(0) ? 0 : this.amidst(this.anchors[part]!.map((_, i) => (i === 0 ? null : seen(i))));
    }
    this.placeLabels();
  }

  setLabels(on: boolean): void {
    this.labels = on;
    this.draw();
  }
  setWireframe(on: boolean): void {
    this.wireframe = on;
    this.refresh();
  }
  setSection(axis: Axis, share: number, flip: boolean): void {
    this.section = { axis, share, flip };
    this.refresh();
  }

  /** Light from one side, almost along the surface: scratches and edges throw shadows of grey. */
  setRaking(on: boolean, degrees: number): void {
    const a = (degrees * Math.PI) / 180;
    if (on) this.key.position.set(Math.cos(a), Math.sin(a), 0.12);
    else this.key.position.set(-0.6, 0.8, 1.2);
    this.key.intensity = on ? 3.2 : 1.7;
    for (const light of this.scene.children) {
      if (light instanceof HemisphereLight) light.intensity = on ? 0.12 : 0.8;
      if (light instanceof AmbientLight) light.intensity = on ? 0.1 : 0.35;
    }
    this.draw();
  }

  isHidden(part: number): boolean {
    return this.hidden.has(part);
  }
  hiddenParts(): number[] {
    return [...this.hidden];
  }
  setHidden(parts: Iterable<number>): void {
    this.hidden.clear();
    for (const part of parts) if (part < this.shown.length) this.hidden.add(part);
    this.refresh();
  }

  clearMeasure(): void {
    this.marks = [];
    this.showMeasure();
  }
  /** Two points of the surface, by clicks; what they say, or null while one is missing. */
  measureAt(x: number, y: number): string | null {
    const hit = this.hit(x, y);
    if (!hit) return null;
    if (this.marks.length === 2) this.marks = [];
    this.marks.push({ part: hit.part, point: hit.point.clone().sub(this.shown[hit.part]!.group.position) });
    this.showMeasure();
    return this.measured();
  }
  private measured(): string | null {
    const [a, b] = this.marks;
    if (!a || !b) return null;
    const groups = [a, b].map((m) => this.data.parts[m.part]!);
    if (groups[0] !== groups[1] && (!groups[0]!.placed || !groups[1]!.placed || groups[0]!.component !== groups[1]!.component)) {
      return "no distance: these two are not joined";
    }
    const d = Number(a.point.distanceTo(b.point).toPrecision(4));
    return `${d}${this.data.units ? " " + this.data.units : ""}`;
  }
  private showMeasure(): void {
    const ends = this.marks.map((m) => m.point.clone().add(this.shown[m.part]!.group.position));
    this.line.visible = ends.length === 2;
    if (ends.length === 2) this.line.geometry.setFromPoints(ends);
    this.draw();
  }

  /** Several settings at once: what is shown is brought in line once. */
  together(set: () => void): void {
    this.holding += 1;
    set();
    this.holding -= 1;
    this.refresh();
  }

  protected override refresh(): void {
    if (this.holding > 0) return;
    super.refresh();
    if (!this.complete) return;
    for (const shown of this.shown) {
      const materials = (Array.isArray(shown.object.material) ? shown.object.material : [shown.object.material]) as Material[];
      if (shown.object instanceof Points) continue;
      for (const material of materials) (material as MeshLambertMaterial).wireframe = this.wireframe;
    }
    this.applySection();
    this.showMeasure();
  }

  private applySection(): void {
    if (this.section.axis === "") {
      this.renderer.clippingPlanes = [];
      return;
    }
    this.scene.updateMatrixWorld(true);
    const box = new Box3();
    for (const shown of this.shown) if (shown.group.visible) box.expandByObject(shown.group);
    if (box.isEmpty()) return;
    const k = "xyz".indexOf(this.section.axis);
    const low = box.min.getComponent(k);
    const at = low + this.section.share * (box.max.getComponent(k) - low);
    const sign = this.section.flip ? 1 : -1;
    this.renderer.clippingPlanes = [new Plane(new Vector3().setComponent(k, sign), -sign * at)];
  }

  private onPage(point: Vector3): [number, number] | null {
    const p = point.clone().project(this.camera);
    if (p.z > 1) return null;
    return [((p.x + 1) / 2) * this.host.clientWidth, ((1 - p.y) / 2) * this.host.clientHeight];
  }

  private placeLabels(): void {
    const joint = this.selection.joint === undefined ? null : this.data.joints[this.selection.joint]!;
    this.shown.forEach((shown, i) => {
      const chip = this.chips[i]!;
      const chosen = joint !== null ? joint.a === i || joint.b === i : this.selection.part === i;
      const meant = chosen || (joint === null && (this.place[i]! >= 0 || this.moving !== null));
      const at = this.labels && shown.group.visible && meant ? this.onPage(this.world(i, chosen && this.moving ? 0 : this.place[i]!)) : null;
      chip.hidden = at === null;
      if (at) chip.style.transform = `translate(${at[0]}px, ${at[1]}px) translate(-50%, -50%)`;
    });
  }

  protected override afterDraw(): void {
    if (!this.complete) return;
    this.placeLabels();
    this.lookSoon();
    const text = this.marks.length === 2 ? this.measured() : null;
    const ends = this.marks.map((m) => m.point.clone().add(this.shown[m.part]!.group.position));
    const at = text ? this.onPage(ends[0]!.clone().add(ends[1]!).multiplyScalar(0.5)) : null;
    this.distance.hidden = at === null;
    if (at && text) {
      this.distance.textContent = text;
      this.distance.style.transform = `translate(${at[0]}px, ${at[1]}px) translate(-50%, -140%)`;
    }
  }

  /** The picture as it is on the screen, labels and all, as a PNG. */
  screenshot(): Promise<Blob> {
    this.renderer.render(this.scene, this.camera);
    const source = this.renderer.domElement;
    const copy = element("canvas");
    copy.width = source.width;
    copy.height = source.height;
    const context = copy.getContext("2d")!;
    context.fillStyle = getComputedStyle(this.host).backgroundColor;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(source, 0, 0);
    const area = this.host.getBoundingClientRect();
    const scale = copy.width / area.width;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const label of [...this.chips, this.distance]) {
      if (label.hidden) continue;
      const box = label.getBoundingClientRect();
      const style = getComputedStyle(label);
      context.font = `600 ${13 * scale}px system-ui, sans-serif`;
      context.fillStyle = style.backgroundColor;
      context.strokeStyle = style.borderColor;
      context.lineWidth = 2 * scale;
      context.beginPath();
      context.roundRect((box.left - area.left) * scale, (box.top - area.top) * scale, box.width * scale, box.height * scale, 8 * scale);
      context.fill();
      context.stroke();
      context.fillStyle = style.color;
      context.fillText(label.textContent ?? "", (box.left + box.width / 2 - area.left) * scale, (box.top + box.height / 2 - area.top) * scale);
    }
    return new Promise((done, fail) => copy.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
  }

  override dispose(): void {
    window.clearTimeout(this.looking);
    this.gizmo.detach();
    this.gizmo.dispose();
    this.layer.remove();
    super.dispose();
  }
}
