; loop oh
L21:
	mov eax, 0
	mov dword ptr [rdi+1108], eax
	mov eax, dword ptr [rdi+1088]
	mov dword ptr [rdi+1112], eax
	mov eax, dword ptr [rdi+1096]
	mov dword ptr [rdi+1116], eax
; loop ow
L22:
	vxorps xmm0, xmm0, xmm0
	vxorps xmm1, xmm1, xmm1
	vxorps xmm2, xmm2, xmm2
	vxorps xmm3, xmm3, xmm3
	vxorps xmm4, xmm4, xmm4
	vxorps xmm5, xmm5, xmm5
	mov r10d, 0
	mov r8d, dword ptr [rdi+1112]
	mov esi, dword ptr [rdi+1092]
; loop kh
L23:
	mov r11d, 0
	mov ebx, r8d
	mov r9d, esi
; loop kw
L24:
	mov ecx, 0
	mov r13d, ebx
	mov r12d, r9d
; loop c
L25:
	vbroadcastss ymm6, dword ptr [r15+r13*1]
	vmovups ymm7, ymmword ptr [r15+r12*1]
	vfmadd231ps ymm0, ymm6, ymm7
	vmovups ymm8, ymmword ptr [r15+r12*1+32]
	vfmadd231ps ymm1, ymm6, ymm8
	vbroadcastss ymm9, dword ptr [r15+r13*1+16]
	vfmadd231ps ymm2, ymm9, ymm7
	vfmadd231ps ymm3, ymm9, ymm8
	vbroadcastss ymm10, dword ptr [r15+r13*1+32]
	vfmadd231ps ymm4, ymm10, ymm7
	vfmadd231ps ymm5, ymm10, ymm8
	add r13d, 4
	add r12d, 64
	add ecx, 1
	cmp ecx, 4
	jl L25
	add ebx, 16
	add r9d, 256
	add r11d, 1
	cmp r11d, 3
	jl L24
	add r8d, 128
	add esi, 768
	add r10d, 1
	cmp r10d, 3
	jl L23
	sub dword ptr [rdi+1056], 9468
	js L27
L26:
	vxorps xmm11, xmm11, xmm11
	vmaxps ymm12, ymm11, ymm0
	vaddps ymm13, ymm12, ymmword ptr [rip+const_22]
	mov edx, dword ptr [rdi+1116]
	vmovups ymmword ptr [r15+rdx*1], ymm13
	vxorps xmm14, xmm14, xmm14
	vmaxps ymm15, ymm14, ymm1
	vaddps ymm6, ymm15, ymmword ptr [rip+const_22]
	mov edx, dword ptr [rdi+1116]
	vmovups ymmword ptr [r15+rdx*1+32], ymm6
	vxorps xmm9, xmm9, xmm9
	vmaxps ymm7, ymm9, ymm2
	vaddps ymm8, ymm7, ymmword ptr [rip+const_22]
	mov edx, dword ptr [rdi+1116]
	vmovups ymmword ptr [r15+rdx*1+64], ymm8
	vxorps xmm10, xmm10, xmm10
	vmaxps ymm0, ymm10, ymm3
	vaddps ymm11, ymm0, ymmword ptr [rip+const_22]
	mov edx, dword ptr [rdi+1116]
	vmovups ymmword ptr [r15+rdx*1+96], ymm11
	vxorps xmm12, xmm12, xmm12
	vmaxps ymm13, ymm12, ymm4
	vaddps ymm1, ymm13, ymmword ptr [rip+const_22]
	mov edx, dword ptr [rdi+1116]
	vmovups ymmword ptr [r15+rdx*1+128], ymm1
	vxorps xmm14, xmm14, xmm14
	vmaxps ymm15, ymm14, ymm5
	vaddps ymm6, ymm15, ymmword ptr [rip+const_22]
	mov edx, dword ptr [rdi+1116]
	vmovups ymmword ptr [r15+rdx*1+160], ymm6
	mov eax, dword ptr [rdi+1112]
	add eax, 48
	mov dword ptr [rdi+1112], eax
	mov eax, dword ptr [rdi+1116]
	add eax, 192
	mov dword ptr [rdi+1116], eax
	mov eax, dword ptr [rdi+1108]
	add eax, 1
	mov dword ptr [rdi+1108], eax
	cmp dword ptr [rdi+1108], 2
	jl L22
	mov eax, dword ptr [rdi+1088]
	add eax, 128
	mov dword ptr [rdi+1088], eax
	mov eax, dword ptr [rdi+1096]
	add eax, 384
	mov dword ptr [rdi+1096], eax
	mov eax, dword ptr [rdi+1104]
	add eax, 1
	mov dword ptr [rdi+1104], eax
	mov eax, dword ptr [rdi+1104]
	cmp eax, dword ptr [rdi+1100]
	jl L21
	mov dword ptr [rdi+1048], 2
	mov eax, 6
	ret
; entry
	mov r15, qword ptr [rdi]
	mov r9d, dword ptr [rdi+48]
	xor eax, eax
	ret
	xor eax, eax
	ret
L27:
	vmovups ymmword ptr [rdi+1120], ymm0
	vmovups ymmword ptr [rdi+1152], ymm1
	vmovups ymmword ptr [rdi+1184], ymm2
	vmovups ymmword ptr [rdi+1216], ymm3
	vmovups ymmword ptr [rdi+1248], ymm4
	vmovups ymmword ptr [rdi+1280], ymm5
	mov dword ptr [rdi+1048], 3
	mov eax, 1
	ret
; entry
	mov r15, qword ptr [rdi]
	vmovups ymm0, ymmword ptr [rdi+1120]
	vmovups ymm1, ymmword ptr [rdi+1152]
	vmovups ymm2, ymmword ptr [rdi+1184]
	vmovups ymm3, ymmword ptr [rdi+1216]
	vmovups ymm4, ymmword ptr [rdi+1248]
	vmovups ymm5, ymmword ptr [rdi+1280]
	jmp L26
