// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The 3D view: draws when something changed, and only then.
import {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, Group, HemisphereLight,
  LineBasicMaterial, LineSegments, Material, Matrix4, Mesh, MeshLambertMaterial, PerspectiveCamera, Plane, Points,
  PointsMaterial, Raycaster, Scene, Spherical, SRGBColorSpace, Texture, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { decodeBase64, type Geometry, type JointInfo, fromPage, type ReportData, type Source, takeGeometry, takeTexture } from "./data";
import { breakColour, linear, noContact, rampColour } from "./ramp";

export type ColourMode = "parts" | "original" | "gaps" | "breaks";
export interface Selection {
  part?: number;
  joint?: number;
}

export interface Shown {
  group: Group; // moved by the explode slider
  object: Mesh | Points;
  geometry: Geometry;
  colours: Map<ColourMode, BufferAttribute>;
  gapText: string | null; // that the gaps were read from after a decision
  textures: (Texture | null)[]; // one per group of faces
}

export function matrixOf(rows: number[]): Matrix4 {
  return new Matrix4().fromArray(rows).transpose();
}

export class View {
  protected readonly renderer: WebGLRenderer;
  protected readonly scene = new Scene();
  protected readonly camera = new PerspectiveCamera(28, 1, 0.01, 100);
  protected readonly controls: OrbitControls;
  protected readonly shown: Shown[] = [];
  private readonly lines = new Group();
  private ghost: Mesh | null = null;
  // Kept: the graphics card would compile its program anew each time.
  private readonly fadedMaterial = new MeshLambertMaterial({ side: DoubleSide, transparent: true, depthWrite: false, vertexColors: true });
  private readonly ghostMaterial = new MeshLambertMaterial({ side: DoubleSide, transparent: true, opacity: 0.8 });
  protected explode = 0;
  private mode: ColourMode = "parts";
  protected selection: Selection = {};
  private showLines = false;
  private showMatches = false;
  private showLoose = false;
  private pending = false;
  protected radius = 1;
  protected readonly key = new DirectionalLight(0xffffff, 1.7);
  protected readonly hidden = new Set<number>();
  private readonly watcher: ResizeObserver;
  protected readonly firstPicture: Promise<void>; // what else there is to do can wait for it
  frames = 0;

  constructor(protected readonly host: HTMLElement, protected data: ReportData, private readonly source: Source = fromPage) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.domElement.setAttribute("aria-hidden", "true");
    host.appendChild(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.key.position.set(-0.6, 0.8, 1.2);
    const fill = new DirectionalLight(0xffffff, 0.35);
    fill.position.set(1, -0.2, 0.6);
    this.camera.add(this.key, fill);
    this.scene.add(this.camera, new HemisphereLight(0xffffff, 0xb8b4ae, 0.8), new AmbientLight(0xffffff, 0.35), this.lines);
    data.parts.forEach((_, i) => this.addPart(i));
    this.refresh();
    this.resize();
    this.resetView();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(host);
    this.firstPicture = this.pictured();
    void this.firstPicture.then(() => this.warmUp());
  }

  /** Until the graphics card has drawn what was asked of it. */
  async pictured(): Promise<void> {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const mark = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    while (mark && !gl.isContextLost() && gl.getSyncParameter(mark, gl.SYNC_STATUS) !== gl.SIGNALED) {
      await new Promise((done) => window.setTimeout(done, 50));
    }
  }

  /** What is see-through is drawn by other programs of the graphics card; they are compiled while one looks, not when
   * the first decision wants them. A triangle without area shows nothing. */
  private warmUp(): void {
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(9), 3));
    const meshes = [this.ghostMaterial, this.fadedMaterial].map((material) => new Mesh(geometry, material));
    for (const mesh of meshes) {
      mesh.frustumCulled = false;
      mesh.raycast = () => {};
      this.scene.add(mesh);
    }
    this.draw();
    requestAnimationFrame(() => {
      this.scene.remove(...meshes);
      geometry.dispose();
    });
  }

  private addPart(index: number): void {
    const info = this.data.parts[index]!;
    const geometry = takeGeometry(this.source, index, info.geometry);
    const buffers = new BufferGeometry();
    buffers.setAttribute("position", new BufferAttribute(geometry.positions, 3));
    if (geometry.normals) buffers.setAttribute("normal", new BufferAttribute(geometry.normals, 3));
    if (geometry.uvs) buffers.setAttribute("uv", new BufferAttribute(geometry.uvs, 2));
    let object: Mesh | Points;
    const textures: (Texture | null)[] = [];
    if (info.geometry.faces > 0) {
      buffers.setIndex(new BufferAttribute(geometry.indices, 1));
      const materials: Material[] = [];
      info.geometry.groups.forEach((group, k) => {
        buffers.addGroup(3 * group[1]!, 3 * (group[2]! - group[1]!), k);
        materials.push(new MeshLambertMaterial({ side: DoubleSide }));
        textures.push(this.loadTexture(index, group[0]!));
      });
      object = new Mesh(buffers, materials);
    } else {
      const area = Math.max(...info.geometry.size) / Math.sqrt(Math.max(geometry.positions.length / 3, 1));
      object = new Points(buffers, new PointsMaterial({ size: 1.5 * area }));
    }
    object.matrixAutoUpdate = false;
    object.matrix.copy(matrixOf(info.pose));
    object.matrixWorldNeedsUpdate = true;
    object.userData["part"] = index;
    const group = new Group();
    group.add(object);
    this.scene.add(group);
    this.shown.push({ group, object, geometry, colours: new Map(), gapText: null, textures });
  }

  private readonly loaded = new Map<string, Texture>();
  private loadTexture(part: number, number: number): Texture | null {
    const mime = this.data.parts[part]!.geometry.textures[String(number)];
    if (mime === undefined) return null;
    const key = `${part}-${number}`;
    let texture = this.loaded.get(key);
    if (!texture) {
      texture = new Texture();
      texture.colorSpace = SRGBColorSpace;
      this.loaded.set(key, texture);
      const url = URL.createObjectURL(takeTexture(this.source, part, number, mime));
      const image = new Image();
      const target = texture;
      image.onload = () => {
        target.image = image;
        target.needsUpdate = true;
        URL.revokeObjectURL(url);
        this.draw();
      };
      image.src = url;
    }
    return texture;
  }

  hasOriginal(): boolean {
    return this.shown.some((s) => s.geometry.colours !== null || s.textures.some((t) => t !== null));
  }
  hasGaps(): boolean {
    return this.data.gapScale > 0 && this.shown.some((s) => s.geometry.gaps !== null);
  }

  hasBreaks(): boolean {
    return this.shown.some((s) => s.geometry.breaks !== null);
  }
  hasMatches(): boolean {
    return this.data.joints.some((j) => j.matches.length > 0);
  }

  /** The same fragments after another decision: where they stand, and the gaps between them. */
  update(data: ReportData, gaps: string[]): void {
    data.joints.forEach((joint, i) => {
      joint.pairs = this.data.joints[i]?.pairs ?? [];
      joint.matches = this.data.joints[i]?.matches ?? [];
    });
    this.data = data;
    this.shown.forEach((shown, i) => {
      shown.object.matrix.copy(matrixOf(data.parts[i]!.pose));
      shown.object.matrixWorldNeedsUpdate = true;
      if (shown.gapText === gaps[i]) return;
      shown.gapText = gaps[i]!;
      shown.geometry.gaps = gaps[i] ? decodeBase64(gaps[i]!) : null;
      shown.colours.delete("gaps");
    });
    this.refresh();
  }

  private colourAttribute(shown: Shown, mode: ColourMode): BufferAttribute | null {
    const known = shown.colours.get(mode);
    if (known) return known;
    const { geometry } = shown;
    const n = geometry.positions.length / 3;
    const values = new Float32Array(3 * n);
    if (mode === "original") {
      if (!geometry.colours) return null;
      for (let i = 0; i < values.length; ++i) values[i] = linear[geometry.colours[i]!]!;
    } else if (mode === "breaks") {
      if (!geometry.breaks) return null;
      const table = Array.from({ length: 256 }, (_, k) => breakColour(k / 255).map((c) => linear[Math.round(c)]!));
      for (let v = 0; v < n; ++v) values.set(table[geometry.breaks[v]!]!, 3 * v);
    } else {
      const table = Array.from({ length: 256 }, (_, k) =>
        (k === 255 ? noContact : rampColour(k / 254)).map((c) => linear[Math.round(c)]!));
      for (let v = 0; v < n; ++v) {
        const colour = table[geometry.gaps ? geometry.gaps[v]! : 255]!;
        values[3 * v] = colour[0]!;
        values[3 * v + 1] = colour[1]!;
        values[3 * v + 2] = colour[2]!;
      }
    }
    const attribute = new BufferAttribute(values, 3);
    shown.colours.set(mode, attribute);
    return attribute;
  }

  private chosenParts(): Set<number> | null {
    if (this.selection.part !== undefined) return new Set([this.selection.part]);
    if (this.selection.joint !== undefined) {
      const joint = this.data.joints[this.selection.joint]!;
      return new Set([joint.a, joint.b]);
    }
    return null;
  }

  /** The joint whose second fragment is shown where it would stand, because it does not stand there. */
  private otherPose(): JointInfo | null {
    const joint = this.selection.joint === undefined ? null : this.data.joints[this.selection.joint]!;
    const shows = joint && !joint.used && joint.other && this.shown[joint.b]!.object instanceof Mesh;
    return shows ? joint : null;
  }

  /** Brings everything in line with mode, selection and slider. */
  protected refresh(): void {
    const chosen = this.chosenParts();
    const moved = this.otherPose()?.b;
    this.shown.forEach((shown, i) => {
      const info = this.data.parts[i]!;
      shown.group.visible = (info.placed || this.showLoose || (chosen !== null && chosen.has(i))) && !this.hidden.has(i);
      shown.group.position.fromArray(info.explode).multiplyScalar(this.explode);
      if (!shown.group.visible) return;
      const attribute = this.mode === "parts" ? null : this.colourAttribute(shown, this.mode);
      if (attribute) shown.object.geometry.setAttribute("color", attribute);
      const materials = (Array.isArray(shown.object.material) ? shown.object.material : [shown.object.material]) as
        (MeshLambertMaterial | PointsMaterial)[];
      materials.forEach((material, k) => {
        const texture = this.mode === "original" ? (shown.textures[k] ?? null) : null;
        const plain = this.mode === "parts" || (this.mode === "original" && !attribute && !texture);
        material.color = plain ? new Color(info.colour) : new Color(0xffffff);
        // Only these need another program on the graphics card.
        if (material.vertexColors !== (attribute !== null) || material.map !== texture) material.needsUpdate = true;
        material.vertexColors = attribute !== null;
        material.map = texture;
        const faded = chosen !== null && (!chosen.has(i) || i === moved);
        material.transparent = faded;
        material.opacity = faded ? 0.16 : 1;
        material.depthWrite = !faded;
      });
      shown.object.renderOrder = chosen !== null && !chosen.has(i) ? 1 : 0;
    });
    this.refreshGhost();
    this.refreshLines();
    this.draw();
  }

  /** A joint that is not part of the assembly: where its second fragment would stand. */
  private refreshGhost(): void {
    if (this.ghost) {
      this.scene.remove(this.ghost);
      this.ghost = null;
    }
    const joint = this.otherPose();
    if (!joint) return;
    this.ghostMaterial.color.set(this.data.parts[joint.b]!.colour);
    this.ghost = new Mesh(this.shown[joint.b]!.object.geometry, this.ghostMaterial);
    this.ghost.matrixAutoUpdate = false;
    this.ghost.matrix.copy(new Matrix4().setPosition(this.shown[joint.a]!.group.position)).multiply(matrixOf(joint.other!));
    this.ghost.raycast = () => {};
    this.scene.add(this.ghost);
  }

  private refreshLines(): void {
    for (const child of [...this.lines.children]) {
      this.lines.remove(child);
      if (child instanceof LineSegments) child.geometry.dispose();
    }
    const chosen = this.selection.joint;
    const partOnly = this.selection.part;
    this.data.joints.forEach((joint, j) => {
      const meant = chosen !== undefined ? j === chosen
        : joint.used && (partOnly === undefined || joint.a === partOnly || joint.b === partOnly);
      if (meant && this.showMatches) this.addMatches(joint);
      if (!meant || (chosen === undefined && !this.showLines) || this.showMatches || joint.pairs.length === 0) return;
      const ends: number[] = [];
      for (let k = 0; k < joint.pairs.length; k += 6) {
        for (const [part, from] of [[joint.a, k], [joint.b, k + 3]] as const) {
          const p = new Vector3().fromArray(joint.pairs, from).applyMatrix4(matrixOf(this.data.parts[part]!.pose));
          ends.push(...p.add(this.shown[part]!.group.position).toArray());
        }
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
      const material = new LineBasicMaterial({ color: joint.used ? 0xd0021b : 0xb26a00, depthTest: false, transparent: true, opacity: 0.85 });
      const segments = new LineSegments(geometry, material);
      segments.renderOrder = 2;
      this.lines.add(segments);
    });
  }

  /** What the network matched between two fragments. Blue: together in the assembly; orange: apart. */
  private addMatches(joint: JointInfo): void {
    const first = this.data.joints.find((j) => j.rank === 0 && ((j.a === joint.a && j.b === joint.b) || (j.a === joint.b && j.b === joint.a)));
    if (!first || first.matches.length === 0) return;
    const ends: number[] = [];
    const colours: number[] = [];
    for (let k = 0; k < first.matches.length; k += 6) {
      const both = ([[first.a, k], [first.b, k + 3]] as const).map(([part, from]) =>
        new Vector3().fromArray(first.matches, from).applyMatrix4(matrixOf(this.data.parts[part]!.pose)));
      const colour = new Color(both[0]!.distanceTo(both[1]!) < 0.03 * this.data.objectSize ? 0x1769e0 : 0xd97706);
      both.forEach((p, i) => {
        ends.push(...p.add(this.shown[i === 0 ? first.a : first.b]!.group.position).toArray());
        colours.push(colour.r, colour.g, colour.b);
      });
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    const segments = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, opacity: 0.8 }));
    segments.renderOrder = 2;
    this.lines.add(segments);
  }

  setMatches(on: boolean): void {
    this.showMatches = on;
    this.refresh();
  }
  setMode(mode: ColourMode): void {
    this.mode = mode;
    this.refresh();
  }
  setExplode(factor: number): void {
    this.explode = factor;
    this.refresh();
  }
  setLines(on: boolean): void {
    this.showLines = on;
    this.refresh();
  }
  setLoose(on: boolean): void {
    this.showLoose = on;
    this.refresh();
  }
  select(selection: Selection): void {
    this.selection = selection;
    this.refresh();
  }

  /** The placed parts, or these, all in the picture. */
  resetView(only: number[] | null = null): void {
    this.scene.updateMatrixWorld(true);
    const box = new Box3();
    this.shown.forEach((shown, i) => {
      if (only ? only.includes(i) : this.data.parts[i]!.placed) box.expandByObject(shown.group, true);
    });
    if (box.isEmpty()) this.shown.forEach((shown) => box.expandByObject(shown.group, true));
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const centre = box.getCenter(new Vector3());
    this.radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-9);
    const towards = new Vector3(0.8, -1, 0.55).normalize();
    const right = new Vector3().crossVectors(this.camera.up, towards).normalize();
    const up = new Vector3().crossVectors(towards, right);
    // So near that every corner is just in the picture, and stays there in a window that is less wide.
    const high = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * Math.min(this.camera.aspect, 1.25);
    let distance = 0;
    for (let k = 0; k < 8; ++k) {
      const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
      const needs = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / high);
      distance = Math.max(distance, corner.dot(towards) + 1.1 * needs);
    }
    this.camera.near = distance / 100;
    this.camera.far = distance * 20;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(towards, distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  turn(right: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const upright = new Spherical().setFromVector3(new Vector3(offset.x, offset.z, -offset.y)); // y up
    upright.theta += right;
    upright.phi = Math.min(Math.max(upright.phi - up, 0.02), Math.PI - 0.02);
    const v = new Vector3().setFromSpherical(upright);
    this.camera.position.copy(this.controls.target).add(new Vector3(v.x, -v.z, v.y));
    this.controls.update();
    this.draw();
  }
  zoom(factor: number): void {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  cameraState(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }
  restoreCamera(state: number[]): void {
    this.camera.position.fromArray(state, 0);
    this.controls.target.fromArray(state, 3);
    this.controls.update();
    this.draw();
  }

  /** The part under a point of the page, or none. */
  pick(x: number, y: number): number | null {
    return this.hit(x, y)?.part ?? null;
  }

  /** The same with the point of its surface. */
  protected hit(x: number, y: number): { part: number; point: Vector3 } | null {
    const area = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(((x - area.left) / area.width) * 2 - 1, 1 - ((y - area.top) / area.height) * 2);
    const ray = new Raycaster();
    ray.params.Points.threshold = 0.01 * this.radius;
    ray.setFromCamera(at, this.camera);
    const visible = this.shown.filter((s) => s.group.visible).map((s) => s.object);
    const planes = this.renderer.clippingPlanes as Plane[];
    const hit = ray.intersectObjects(visible, false).find((h) => planes.every((p) => p.distanceToPoint(h.point) >= 0));
    return hit ? { part: hit.object.userData["part"] as number, point: hit.point } : null;
  }

  /** Where the middle of a part is on the page, in pixels. */
  whereIs(part: number): [number, number] {
    this.scene.updateMatrixWorld(true);
    const box = new Box3().expandByObject(this.shown[part]!.group, true);
    const p = box.getCenter(new Vector3()).project(this.camera);
    const area = this.renderer.domElement.getBoundingClientRect();
    return [area.left + ((p.x + 1) / 2) * area.width, area.top + ((1 - p.y) / 2) * area.height];
  }
  partPosition(part: number): number[] {
    const shown = this.shown[part]!;
    return new Vector3().setFromMatrixPosition(shown.object.matrix).add(shown.group.position).toArray();
  }
  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  private sized = "";
  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0) return;
    // The observer calls at once as well: a large object would be drawn twice.
    if (this.sized === `${clientWidth} ${clientHeight}`) return;
    this.sized = `${clientWidth} ${clientHeight}`;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    // A narrow window must show the whole width as well.
    this.camera.fov = this.camera.aspect >= 1 ? 28 : (2 * Math.atan(Math.tan((14 * Math.PI) / 180) / this.camera.aspect) * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  draw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.renderer.render(this.scene, this.camera);
      this.frames += 1;
      this.afterDraw();
    });
  }

  /** For what lies over the picture. */
  protected afterDraw(): void {}

  /** Gives the graphics card back; the view is of no use after it. */
  dispose(): void {
    this.pending = true;
    this.watcher.disconnect();
    this.controls.dispose();
    for (const { object } of this.shown) object.geometry.dispose();
    for (const texture of this.loaded.values()) texture.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.renderer.domElement.remove();
  }
}
